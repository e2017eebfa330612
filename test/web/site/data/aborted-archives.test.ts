import { connect } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { StorageAway } from "../../../../src/domain/errors.ts";
import type { Storage } from "../../../../src/storage/storage.ts";
import { send } from "../../../support/actors/composer.ts";
import { picture } from "../../../support/data/pictures.ts";
import { sessionCookie } from "../../../support/inspect/cookies.ts";
import { serve, type Site } from "../../../support/world/serve.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const path = "/settings/data/export-pictures-1.zip";

describe("a picture download whose client does not read it", () => {
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
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  /** Files that last as long as they are read. Returns those that were opened, as they come. */
  function storeEndlessFiles(): Readable[] {
    const opened: Readable[] = [];
    const read = () => {
      const endless = new Readable({ read: () => endless.push(Buffer.alloc(16_384)) });
      opened.push(endless);
      return Promise.resolve(endless);
    };
    const storage = world.ctx.storage as Storage;
    vi.spyOn(storage, "find").mockImplementation(() => Promise.resolve({ size: 1e9, read }));
    return opened;
  }
  const askForHead = () =>
    fetch(`http://127.0.0.1:${site.port}${path}`, { method: "HEAD", headers: { cookie } });

  it("a client that hangs up before the first byte leaves no file open, and is no error", async () => {
    const opened = storeEndlessFiles();
    for (let nth = 0; nth < 5; nth += 1) {
      const socket = connect(site.port, "127.0.0.1");
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`, () =>
        socket.destroy(),
      );
      await sleep(200);
    }
    await expect.poll(() => opened.filter(({ destroyed }) => !destroyed)).toHaveLength(0);
    expect(world.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it("a HEAD request opens no file", async () => {
    const opened = storeEndlessFiles();
    for (let nth = 0; nth < 5; nth += 1) {
      const { status, headers } = await askForHead();
      expect([status, headers.get("content-type")]).toEqual([200, "application/zip"]);
    }
    await sleep(200);
    expect(opened).toHaveLength(0);
  });

  it("a HEAD request while the storage is away ends nothing", async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on("uncaughtExceptionMonitor", note);
    const find = vi.spyOn(world.ctx.storage as Storage, "find");
    find.mockRejectedValue(new StorageAway("the bucket"));
    expect((await askForHead()).status).toBe(200);
    await sleep(200);
    process.off("uncaughtExceptionMonitor", note);
    expect(uncaught).toEqual([]);
    expect((await fetch(`http://127.0.0.1:${site.port}/healthz`)).status).toBe(200);
  });
});
