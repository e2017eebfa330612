import { tmpdir } from "node:os";
import { Cluster } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostNumbers, writeCheckup } from "../../../../src/domain/site/numbers.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { keys } from "../../../../src/redis/keys.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const asText = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

const day = 24 * 60 * 60 * 1000;

describe("the admin area", () => {
  let world: World;
  let boss: Visitor;
  let judy: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"], dataDir: tmpdir() });
    boss = await world.newcomer("boss");
    judy = await world.newcomer("judy");
    await judy.tweet("one");
    await world.delivered();
    await boss.post("/admin/people/judy", { role: "moderator" }).expect(303);
  });
  afterAll(() => world.close());

  it("the admin area shows admins the week and the state of the site, and moderators the week", async () => {
    const seen = asText((await boss.get("/admin").expect(200)).text);
    expect(seen).toContain("2 users were around.");
    expect(seen).toMatch(/Sign-ups Users around Tweets Reports \S+ \S+ 2 2 1 0 /);
    expect(seen).toContain("2 accounts, deleted ones included");
    expect(seen).toContain("1 tweet, deleted ones included");
    expect(seen).toContain("None has failed");
    expect(seen).toMatch(/Memory of Redis [\d.]+ MB/);
    expect(seen).toContain("Has never looked");
    const others = asText((await judy.get("/admin").expect(200)).text);
    expect(others).toContain("2 users were around.");
    expect(others).not.toContain("Memory of Redis");
  });

  it("the admin area shows the last word of the doctor, with its time", async () => {
    const at = Date.parse("2026-11-20T10:00:00Z");
    const seenAfter = async (findings: number, left: number) => {
      await writeCheckup(world.ctx, { at, keys: 9, findings, left });
      world.pass(60_000);
      return asText((await boss.get("/admin").expect(200)).text);
    };
    expect(await seenAfter(0, 0)).toContain(
      "Found nothing wrong November 20, 2026 at 10:00 AM UTC",
    );
    expect(await seenAfter(3, 0)).toContain("Repaired all that was wrong");
    expect(await seenAfter(3, 2)).toContain("Left 2 things that are wrong");
  });

  it("the admin area shows when the last backup was complete, and that there was none", async () => {
    expect(asText((await boss.get("/admin").expect(200)).text)).toContain("None yet");
    await world.ctx.redis.set(keys.backupAt, world.ctx.now());
    world.pass(60_000);
    const { text } = await boss.get("/admin").expect(200);
    expect(asText(text)).toMatch(/Last backup \w+ \d+, \d{4} at/);
    expect(text).not.toMatch(/class="fact-bad"><dt>Last backup/);
    world.pass(3 * day);
    const later = (await boss.get("/admin").expect(200)).text;
    expect(later).toMatch(/class="fact-bad"><dt>Last backup/);
    world.pass(-3 * day);
  });

  it("the admin area draws 90 days, says when the disk is full, and names what is large, in each language", async () => {
    const { id: largest } = await getUserByName(world.ctx, "judy");
    const { totalBytes = 0 } = (await hostNumbers(world.ctx)).disk ?? {};
    for (let ago = 90; ago >= 1; ago -= 1) {
      const date = new Date(world.ctx.now() - ago * day).toISOString().slice(0, 10);
      const disk = totalBytes - ((ago + 124) * totalBytes) / 1000;
      const kinds = { tweets: 3e6, homes: 1e6 };
      const measured = { people: ago, tweets: 2 * ago, memory: 5e6, disk, pictures: 7e6, kinds };
      const named = [{ id: largest, tweets: 12, followers: 3456 }];
      await world.ctx.redis.hset(
        keys.siteDays,
        date,
        JSON.stringify({ ...measured, largest: named }),
      );
    }
    world.pass(60_000);
    const { text } = await boss.get("/admin").expect(200);
    const lines = [...text.matchAll(/<polyline points="([^"]+)"/g)].map(
      ([, points = ""]) => points,
    );
    expect(lines.map((points) => points.split(" ").length)).toEqual([90, 90, 90, 90]);
    expect(lines[0]?.split(" ")[0]).toMatch(/^0,/);
    expect(lines[0]?.split(" ").at(-1)).toMatch(/^600,/);
    const seen = asText(text);
    expect(seen).toContain("the disk is full in 4 months");
    expect(seen).not.toContain("the memory of Redis is full");
    expect(seen).toMatch(/Tweets, likes, replies 3 MB 75%\s+Home timelines 1 MB 25%/);
    expect(seen).toContain("Pictures 7 MB");
    expect(seen).toMatch(/Largest accounts .* @judy 12 3,456/);
    expect(text).toContain('aria-label="From 90 to 1"');
    const japanese = world.visitor("ja");
    await japanese.logIn("boss");
    expect(asText((await japanese.get("/admin").expect(200)).text)).toContain(
      "ディスクは約4か月でいっぱいになります",
    );
    expect((await judy.get("/admin").expect(200)).text).not.toContain("<polyline");
  });

  it("lists of the admin area begin at any place that an address names", async () => {
    for (const list of ["audit", "people", "suspended", "reports", "requests", "queues/deliver"])
      for (const place of ["0", "1", "-1", "x", "99999999999999999999"])
        await boss.get(`/admin/${list}?before=${place}&after=${place}&start=${place}`).expect(200);
    expect((await boss.get("/admin/people?before=99999999999999999999")).text).toContain("@judy");
  });

  // Workers look for stalled jobs by SMEMBERS, once in ten seconds.
  it("the admin area walks over no keys", { retry: 3 }, async () => {
    const { redis } = world.ctx;
    const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
    await Promise.all(nodes.map((node) => node.config("RESETSTAT")));
    world.pass(60_000);
    await boss.get("/admin").expect(200);
    const infos = await Promise.all(nodes.map((node) => node.info("commandstats")));
    expect(infos.join("\n")).toMatch(/cmdstat_pfcount/);
    expect(infos.join("\n")).not.toMatch(/cmdstat_(keys|scan|smembers)\b/);
  });
});
