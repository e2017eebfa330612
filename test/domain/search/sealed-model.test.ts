import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { eraseAccount } from "../../../src/domain/accounts/erase.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { type TweetId, tweetId, type UserId } from "../../../src/domain/ids.ts";
import { findTweets, parseQuery } from "../../../src/domain/search/find-tweets.ts";
import { sealStep } from "../../../src/domain/search/seal-tweets.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople } from "../../support/actors/people.ts";
import { exportFileWith, importFile } from "../../support/data/account-files.ts";
import { runs } from "../../support/models/property-runs.ts";
import { holds, someText, someWords } from "../../support/models/worded-texts.ts";
import { runDoctor } from "../../support/world/doctor.ts";
import { dyingAfter } from "../../support/world/dying-redis.ts";
import { recordJobs } from "../../support/world/promised-jobs.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const sizes = [2, 6, 18];
const minutes = 60_000;
const days = 24 * 60 * minutes;

const writing = "post post post post import edit edit delete erase job jobs";
const sealing = "seal seal sealAll sealTwice sealAndDie wait waitLong look";
const steps = `${writing} ${sealing}`.split(" ");
const acts = fc.record({
  does: fc.constantFrom(...steps),
  which: fc.nat({ max: 1000 }),
  text: someText,
  words: someWords,
});
type Act = typeof acts extends fc.Arbitrary<infer One> ? One : never;

/** A site, and what of it waits. */
interface Site {
  ctx: Ctx;
  people: UserId[];
  promised: (() => Promise<void>)[];
  /** Number of the first tweet. */
  first: number;
}

describe("sealed segments", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ editMinutes: 1e8 }, { workers: false });
  });
  afterAll(() => world.close());

  it("a search finds what a scan of all tweets finds, whenever tweets are sealed, merged, changed, imported or erased", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 10, maxLength: 60 }), async (happened) => {
        await emptyRedis(world.ctx.redis);
        await world.ctx.memory.settled();
        const { ctx, promised } = recordJobs(world.ctx);
        const site = { ctx, promised, people: await newPeople(ctx, 3), first: 0 };
        site.first = Number(await postTweet(ctx, site.people[0] as UserId, { text: "the first" }));
        // Ids that an earlier run has used are left out.
        if (site.first > 1) await sealStep(ctx, { sizes: [site.first - 1], age: 0 });
        for (const act of happened) await perform(site, act);
        await finish(site);
        for (const { words } of happened.slice(0, 5)) await compare(site, words);
        await sealAll(ctx);
        for (const { words } of happened.slice(0, 5)) await compare(site, words);
        const { findings } = await runDoctor(world);
        expect(findings.filter(({ kind }) => kind === "tweet-index")).toEqual([]);
      }),
      runs(100, 40_000),
    );
  }, 120_000);

  async function perform(site: Site, { does, which, text, words }: Act): Promise<void> {
    const { ctx, people, promised } = site;
    const author = people[which % people.length] as UserId;
    const last = Number(await ctx.redis.get(keys.tweetIds));
    const id = tweetId(site.first + (which % Math.max(1, last - site.first + 1)));
    const tweet = await findTweet(ctx, id);
    if (does === "post") {
      await postTweet(ctx, author, { text });
      if (which % 3 > 0) await finish(site);
    } else if (does === "import") {
      const rows = [which % 30, which % 7].map((day) => ({
        text,
        created_at: new Date(1.6e12 + day * 1e7).toISOString(),
      }));
      await importFile(ctx, author, exportFileWith({ tweet: rows }));
    } else if (does === "edit" && tweet !== undefined)
      await editTweet(ctx, tweet.author, id, { text, pictures: [], sensitive: false });
    else if (does === "delete" && tweet !== undefined) await deleteTweet(ctx, tweet.author, id);
    else if (does === "erase" && which % 5 === 0) {
      await ctx.redis.hset(keys.user(author), "leaving_at", ctx.now() * 1000);
      for (const pass of ["first", "last"] as const)
        await eraseAccount(ctx, { user: author, pass });
      people.splice(people.indexOf(author), 1, ...(await newPeople(ctx, 1)));
    } else if (does === "job")
      await promised.splice(which % Math.max(1, promised.length), 1)[0]?.();
    else if (does === "jobs") await finish(site);
    else if (does === "seal") await sealStep(ctx, { sizes, age: 0 });
    else if (does === "sealAll") await sealAll(ctx);
    else if (does === "sealTwice")
      await Promise.all([
        sealStep(ctx, { sizes, age: 0 }),
        sealStep(ctx, { sizes, age: 0 }),
        sealAll(ctx),
      ]);
    else if (does === "sealAndDie")
      await sealStep({ ...ctx, redis: dyingAfter(ctx.redis, which % 40) }, { sizes, age: 0 }).catch(
        () => {},
      );
    else if (does === "wait") world.pass(11 * minutes);
    else if (does === "waitLong") world.pass(31 * days);
    else if (does === "look") {
      await finish(site);
      await compare(site, words);
    }
  }
});

async function sealAll(ctx: Ctx): Promise<void> {
  for (let done = 0; await sealStep(ctx, { sizes, age: 0 }); done += 1)
    expect(done).toBeLessThan(500);
}

/** Runs all that was promised. */
async function finish({ promised }: Site): Promise<void> {
  for (let job = promised.shift(); job !== undefined; job = promised.shift()) await job();
}

/** Pages, with and without an author, downwards and upwards, against a scan of all texts. */
async function compare({ ctx, first }: Site, words: string[]): Promise<void> {
  const last = Number(await ctx.redis.get(keys.tweetIds));
  const ids = Array.from({ length: last - first + 1 }, (_, nth) => tweetId(first + nth));
  const all = await Promise.all(ids.map((id) => findTweet(ctx, id)));
  const held = all
    .filter((tweet) => tweet !== undefined)
    .filter(({ text }) => words.every((word) => holds(text, word)))
    .toSorted((one, other) => other.createdAt - one.createdAt || Number(other.id) - Number(one.id));
  const wanted = held.map(({ id }) => id);
  const typed = words.join(" ");
  expect([typed, await readDown(ctx, typed)]).toEqual([typed, wanted]);
  expect([typed, await readUp(ctx, typed)]).toEqual([typed, wanted]);
  const author = held[held.length >> 1]?.author;
  const name = author && (await findUser(ctx, author))?.name;
  if (name === undefined) return;
  const asked = `${typed} from:${name}`;
  const theirs = held.filter((tweet) => tweet.author === author).map(({ id }) => id);
  expect([asked, await readDown(ctx, asked)]).toEqual([asked, theirs]);
  expect([asked, await readUp(ctx, asked)]).toEqual([asked, theirs]);
}

async function readDown(ctx: Ctx, typed: string): Promise<TweetId[]> {
  const found: { id: TweetId; stamp: number }[] = [];
  let before: number | undefined;
  do {
    const page = await findTweets(ctx, parseQuery(typed), {
      viewer: undefined,
      before,
      limit: 3,
    });
    found.push(...page.items.map(({ tweet, stamp }) => ({ id: tweet.id, stamp })));
    before = page.older;
  } while (before !== undefined);
  return inOrder(found);
}

async function readUp(ctx: Ctx, typed: string): Promise<TweetId[]> {
  const found: { id: TweetId; stamp: number }[] = [];
  let from: number | undefined = 0;
  do {
    const page = await findTweets(ctx, parseQuery(typed), { viewer: undefined, from, limit: 3 });
    found.unshift(...page.items.map(({ tweet, stamp }) => ({ id: tweet.id, stamp })));
    const next: number | undefined = page.items[0]?.stamp;
    from = next === from ? undefined : next;
  } while (from !== undefined);
  return inOrder(found);
}

/** Pages are in the order of stamps; those that share one come in any. */
function inOrder(found: { id: TweetId; stamp: number }[]): TweetId[] {
  const sorted = found.toSorted(
    (one, other) => other.stamp - one.stamp || Number(other.id) - Number(one.id),
  );
  expect(sorted.map(({ stamp }) => stamp)).toEqual(found.map(({ stamp }) => stamp));
  return sorted.map(({ id }) => id);
}
