import { connect } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Storage } from "../../../../src/storage/storage.ts";
import { send } from "../../../support/actors/composer.ts";
import { picture } from "../../../support/data/pictures.ts";
import { sessionCookie } from "../../../support/inspect/cookies.ts";
import { serve, type Site } from "../../../support/world/serve.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("a picture download whose client hangs up before the first byte", () => {
  let world: World;
  let site: Site;
  let cookie: string;
  beforeAll(async () => {
    world = await createWorld();
    const ann = await world.newcomer("ann");
    await send(ann, { text: "One", pictures: [await picture("png")] });
    site = await serve(world.app);
    cookie = sessionCookie(await world.visitor().logIn("ann"));
  });
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  it("leaves no file open, and is no error", async () => {
    const opened: Readable[] = [];
    // Files that last as long as they are read.
    const read = () => {
      const endless = new Readable({ read: () => endless.push(Buffer.alloc(16_384)) });
      opened.push(endless);
      return Promise.resolve(endless);
    };
    const storage = world.ctx.storage as Storage;
    vi.spyOn(storage, "find").mockImplementation(() => Promise.resolve({ size: 1e9, read }));
    const path = "/settings/data/export-pictures-1.zip";
    for (let nth = 0; nth < 5; nth += 1) {
      const socket = connect(site.port, "127.0.0.1");
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`, () =>
        socket.destroy(),
      );
      await sleep(200);
    }
    expect(opened.filter(({ destroyed }) => !destroyed)).toHaveLength(0);
    expect(world.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});
