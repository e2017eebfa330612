import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestApp } from "../support/actors/test-app.ts";
import { exportFileWith } from "../support/data/account-files.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("addresses in user text", () => {
  let world: World;
  let trap: Server;
  let visits = 0;
  beforeAll(async () => {
    world = await createWorld({});
    trap = createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    trap.close();
    await world.close();
  });

  it("the server fetches no address in tweets, apps, imports, previews or reports, and no private one in profiles", async () => {
    const address = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/x`;
    const person = await world.newcomer("typist");
    await person.tweet(`look ${address}`);
    await person.post("/settings/profile", { fullname: "T", bio: address, website: address });
    const website = { website: address, redirect_uris: address };
    const app = await TestApp.register(world, website);
    await app.decide(person, "allow", { redirect_uri: address });
    const other = await world.newcomer("reader");
    await other.post("/tweets/1/report", { reason: "spam", comment: address });
    await other.get("/oembed?format=json&url=" + encodeURIComponent(address));
    const tweets = [{ id: "1", text: `again ${address}`, created_at: "2020-01-01T00:00:00Z" }];
    const file = exportFileWith({ tweet: tweets });
    await person.import(file);
    for (const path of ["/", "/@typist", "/tweets/1", "/@typist.rss"]) await other.get(path);
    await world.delivered();
    await sleep(300);
    expect(visits).toBe(0);
    // The trap works.
    await request(address)
      .get("/")
      .catch(() => {});
    expect(visits).toBe(1);
  });

  it("only alerts and pings to the host's own webhook and hub, pushes, and looks at websites of profiles, open HTTP connections", () => {
    const root = new URL("../../src/", import.meta.url);
    const names = readdirSync(root, { recursive: true, encoding: "utf8" });
    const fetching = names.filter((name) => {
      if (!name.endsWith(".ts")) return false;
      const text = readFileSync(new URL(name, root), "utf8");
      // `cache(ctx).fetch(` is of the cache.
      return /(?<!\)\.)\bfetch\(|\baxios\b|https?\.(get|request)\(|node:(https|http2|tls|dns|dgram)"|\bundici\b/.test(
        text,
      );
    });
    // Those of pushes and pages refuse private addresses: test/push/transport.test.ts, test/fetch/page.unit.test.ts.
    expect(fetching.toSorted()).toEqual([
      "fetch/page.ts",
      "fetch/public-lookup.ts",
      "fetch/work.ts",
      "jobs/alerts.ts",
      "push/transport.ts",
    ]);
  });

  it("only one file sends mail, and only to the host's own mail server", () => {
    const root = new URL("../../src/", import.meta.url);
    const names = readdirSync(root, { recursive: true, encoding: "utf8" });
    const sending = names.filter(
      (name) =>
        name.endsWith(".ts") && /nodemailer/.test(readFileSync(new URL(name, root), "utf8")),
    );
    expect(sending).toEqual(["mail/transport.ts"]);
  });
});
