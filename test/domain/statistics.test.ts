import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countInDay, readWeek } from "../../src/domain/statistics.ts";
import { reportPerson } from "../../src/domain/moderation/report.ts";
import { openSession } from "../../src/domain/users/sessions.ts";
import { findUsers } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { newPerson, postAndDeliver } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";

const day = 24 * 60 * 60 * 1000;

describe("numbers of a week", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("an id counts once a day, and the week counts each user once", async () => {
    const { ctx } = world;
    const now = Date.parse("2031-05-10T12:00:00Z");
    const ctxThen = { ...ctx, now: () => now };
    for (const id of ["1", "2", "1"]) await countInDay(ctxThen, "people", { id, at: now });
    await countInDay(ctxThen, "people", { id: "1", at: now - day });
    await countInDay(ctxThen, "people", { id: "3", at: now - 6 * day });
    await countInDay(ctxThen, "people", { id: "4", at: now - 7 * day });
    const { days, people } = await readWeek(ctxThen, now);
    expect(days.map((one) => one.people)).toEqual([2, 1, 0, 0, 0, 0, 1]);
    expect(days[0]?.day).toBe("2031-05-10");
    expect(days.at(-1)?.day).toBe("2031-05-04");
    expect(people).toBe(3);
    const life = await ctx.redis.ttl(keys.dayStat("people", "2031-05-10"));
    expect(life).toBeGreaterThan(39 * 24 * 60 * 60);
  });

  it("what is older than the counters is not counted", async () => {
    const old = world.ctx.now() - 50 * day;
    await countInDay(world.ctx, "tweets", { id: "1", at: old });
    const name = new Date(old).toISOString().slice(0, 10);
    expect(await world.ctx.redis.exists(keys.dayStat("tweets", name))).toBe(0);
  });

  it("sign-ups, sign-ins, tweets and reports are counted", async () => {
    const { ctx } = world;
    // On one day.
    await world.atOneMoment(async () => {
      const [ann, other] = [await newPerson(ctx), await newPerson(ctx)];
      await openSession(ctx, ann, "a-session");
      await openSession(ctx, ann, "another-session");
      for (const text of ["one", "two", "three"]) await postAndDeliver(ctx, ann, text);
      const [person, reporter] = [...(await findUsers(ctx, [ann, other])).values()];
      if (person === undefined || reporter === undefined) throw new Error("two users are missing");
      for (let nth = 0; nth < 2; nth += 1)
        await reportPerson(ctx, reporter, person, { reason: "spam", comment: "" });
      const { days } = await readWeek(ctx, ctx.now());
      expect(days[0]).toMatchObject({ "sign-ups": 2, people: 1, tweets: 3, reports: 1 });
    });
  });
});
