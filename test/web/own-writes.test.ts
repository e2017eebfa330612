import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boot, type Booted } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import { createApp } from "../../src/web/app.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { untilTracking } from "../support/world/memory-process.ts";
import { faultyNetwork, type FaultyNetwork } from "../support/world/faulty-network.ts";
import { launchOnSocket, type SocketServer } from "../support/world/redis-server.ts";
import { appOptions } from "../support/world/world.ts";

/** Milliseconds by which each answer of Redis is late. */
const late = 40;

describe("a site whose Redis is far away", () => {
  let server: SocketServer;
  let network: FaultyNetwork;
  let site: Booted;
  let writer: Visitor;
  let reader: Visitor;
  beforeAll(async () => {
    server = await launchOnSocket();
    network = await faultyNetwork(server);
    const config = { ...parseConfig({ LOG_LEVEL: "silent" }), bcryptCost: 4, firstDayShare: 1 };
    site = await boot(config, { urls: [`redis://127.0.0.1:${network.port}`] });
    const app = createApp(site.ctx, appOptions);
    writer = new Visitor(app);
    reader = new Visitor(app);
    await writer.signUp("writer");
    await reader.signUp("reader");
    await untilTracking(site.ctx.memory);
    network.delay(late);
  });
  afterAll(async () => {
    await site.close();
    await network.close();
    await server.kill();
  });

  it("who writes sees it on the next page, by a form and while others write", async () => {
    for (let nth = 0; nth < 2; nth += 1) {
      await writer.post("/tweets", { text: `Mine ${nth}` }).expect(303);
      expect((await writer.get("/@writer").expect(200)).text).toContain(`Mine ${nth}`);
      await writer.post("/settings/profile", { fullname: `Name ${nth}`, bio: "" }).expect(303);
      expect((await writer.get("/@writer").expect(200)).text).toContain(`Name ${nth}`);
    }
  });

  it("others get their pages before what was written is settled", async () => {
    await reader.get("/about").expect(200);
    await reader.get("/about").expect(200);
    network.delay(600);
    const written = writer
      .post("/language", { language: "en", next: "/about" })
      .then(() => "written");
    const settled = site.ctx.memory.settled().then(() => "settled");
    const read = reader.get("/about").then(({ status }) => `page ${status}`);
    expect(await Promise.race([settled, read, written])).toBe("page 200");
    await Promise.all([settled, written]);
    network.delay(late);
  });
});
