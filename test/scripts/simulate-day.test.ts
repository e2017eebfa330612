import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Lab, makePeople, openLab } from "../../scripts/bench/lab.ts";
import { playDay } from "../../scripts/simulate/day.ts";
import { bytesByGrowth, type DayFigures, sizedOf } from "../../scripts/simulate/figures.ts";
import { planDay } from "../../scripts/simulate/plan.ts";
import { writeReport } from "../../scripts/simulate/report.ts";
import { writeFollows } from "../../scripts/simulate/settle.ts";
import { drawTown } from "../../scripts/simulate/town.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { type UserId, userId } from "../../src/domain/ids.ts";
import { keys, mostOf } from "../../src/redis/keys.ts";
import { newest } from "../../src/migrations/migrate.ts";
import { parseXml } from "../support/inspect/xml.ts";
import { builtProgram } from "../support/world/built-program.ts";
import { onCluster } from "../support/world/test-redis.ts";

const people = 150;

describe.skipIf(onCluster)("npm run simulate", () => {
  let lab: Lab;
  let figures: DayFigures;
  beforeAll(async () => {
    await builtProgram("web");
    lab = await openLab(1, () => {});
    const ended = AbortSignal.timeout(120_000);
    const pace = { realMilliseconds: 5000, watchedShare: 1 };
    figures = await playDay(lab, { people, seed: 1, ...pace, ended });
  }, 240_000);
  afterAll(() => lab.close());

  it("a small site has a whole day without errors", () => {
    const { tally, cut } = figures;
    expect(cut).toBeUndefined();
    expect(tally.errors).toEqual([]);
    // A busy machine may be too slow for some pages.
    const strange = tally.unexpected().filter((line) => !line.includes("answered 503"));
    expect(strange).toEqual([]);
    expect(tally.sum("pages")).toBeGreaterThan(people / 2);
    expect(tally.timed("delay")).toBeGreaterThan(10);
    expect(tally.sum("streamed")).toBeGreaterThan(0);
    expect(tally.sum("polls")).toBeGreaterThan(40);
  });

  it("its tweets reach home timelines, and it has an outage and a spammer", () => {
    const { tally } = figures;
    expect(tally.sum("deliveries")).toBeGreaterThan(tally.sum("tweets"));
    expect(tally.sum("found closed")).toBeGreaterThan(0);
    expect(tally.sum("came back")).toBeGreaterThan(0);
    expect(tally.sum("rebuilt")).toBeGreaterThan(1);
    expect(tally.sum("spam accepted")).toBeGreaterThan(10);
    expect(tally.sum("pages kept")).toBeGreaterThan(0);
    expect(tally.sum("pages in full")).toBeGreaterThan(0);
  });

  it("the evening before the day is played, and not counted", () => {
    const { tally, site, town } = figures;
    const planned = planDay(town, 1).filter(({ kind }) => kind === "post").length;
    expect(tally.sum("tweets")).toBeLessThanOrEqual(planned);
    const names = ["tweets", "replies", "retweets", "spam tweet accepted"];
    const ofDay = names.reduce((sum, name) => sum + tally.sum(name), 0);
    const ofSetUp = Math.ceil(people / 3);
    expect(site.counts.tweet).toBeGreaterThan(ofDay + ofSetUp + 30);
  });

  it("its data is of the newest version and its people are found before the day begins", async () => {
    const [version, unindexed] = await lab.ctx.redis.hmget(keys.siteData, "version", "unindexed");
    expect([Number(version), unindexed]).toEqual([newest, null]);
    const found = figures.site.kinds.find(({ name }) => name === "indexedPerson");
    expect(found?.keys).toBeGreaterThanOrEqual(people);
  });

  it("tweets that are not sealed yet have their share of the search's bytes", () => {
    const kinds = [
      { name: "tweet", grows: "tweet", bytes: 1000 },
      { name: "sealedTerms", grows: "tweet", bytes: 512 },
      { name: "sealed", grows: "tweet", bytes: 10 },
      { name: "searchTerm", grows: "tweet", bytes: 77 },
      { name: "user", grows: "person", bytes: 5 },
    ] as const;
    const some = bytesByGrowth(kinds, { tweets: 768, sealed: 512 });
    expect(some).toMatchObject({ tweet: 1000 + 768 + 10, bounded: 77, person: 5, home: 0 });
    const none = bytesByGrowth(kinds.slice(0, 1), { tweets: 500, sealed: 0 });
    expect(none.tweet).toBe(1000);
  });

  it("its figures become a report with plots", async () => {
    const folder = await mkdtemp(join(tmpdir(), "simulation-"));
    try {
      const smaller = { ...figures, people: people / 2 };
      const days = [{ ...smaller, people: people / 4 }, smaller, figures] as const;
      const predictions = await writeReport(folder, days, "0.1");
      expect(predictions.map(({ name }) => name)).toEqual(Object.keys(sizedOf(figures).values));
      const plots = (await readdir(folder)).filter((name) => name.endsWith(".svg"));
      expect(plots.length).toBeGreaterThanOrEqual(6);
      const report = await readFile(join(folder, "README.md"), "utf8");
      for (const plot of plots) {
        parseXml(await readFile(join(folder, plot), "utf8"));
        expect(report).toContain(`](${plot})`);
      }
      expect(report).not.toMatch(/NaN|undefined|Infinity/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("the follows of its past are as the verb writes them", async () => {
    await lab.clear();
    const ids = await makePeople(lab, "person", 12);
    const town = drawTown(12, 1);
    const lists = async () => {
      const members = ids.flatMap((id) =>
        [keys.followings(id), keys.followers(id), keys.notifications(id)].map((key) =>
          lab.ctx.redis.zrange(key, 0, "-1"),
        ),
      );
      return await Promise.all(members);
    };
    await writeFollows(lab, town, ids, Date.now() - 1000);
    const written = await lists();
    for (const id of ids)
      await lab.ctx.redis.del(keys.followings(id), keys.followers(id), keys.notifications(id));
    // No two of them in the same millisecond.
    let moment = Date.now();
    const ctx = { ...lab.ctx, now: () => (moment += 1) };
    for (const [person, followed] of town.followings.entries())
      for (const other of followed)
        await follow(ctx, { follower: ids[person] as UserId, followee: ids[other] as UserId });
    expect(written.flat().length).toBeGreaterThan(30);
    expect(written).toEqual(await lists());
  });

  it("lists of thousands of followers are written in parts", async () => {
    await lab.clear();
    const ids = Array.from({ length: 2501 }, (_, nth) => userId(nth + 1));
    const followings = ids.map((_, person) => Int32Array.from(person === 0 ? [] : [0]));
    await writeFollows(lab, { ...drawTown(12, 1), followings }, ids, Date.now() - 10_000);
    const [famous, first] = ids as [UserId, UserId];
    const { redis } = lab.ctx;
    expect(await redis.zcard(keys.followers(famous))).toBe(2500);
    expect(await redis.zrange(keys.followers(famous), 0, "0")).toEqual([first]);
    expect(await redis.zcard(keys.notifications(famous))).toBe(mostOf("notifications"));
    expect(await redis.zrange(keys.followings(first), 0, "-1")).toEqual([famous]);
  });
});
