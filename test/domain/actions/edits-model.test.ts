import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { notificationsAfter } from "../../../src/domain/notifications/store.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import { historyOf } from "../../../src/domain/tweets/versions.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople } from "../../support/actors/people.ts";
import { runs } from "../../support/models/property-runs.ts";
import { recordJobs } from "../../support/world/promised-jobs.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const words = ["cat", "owl"];
const tags = ["#bird", "#egg"];
/** The users of each run: the author and two who are mentioned. */
const names = ["one", "two"];

interface Model {
  author: UserId;
  /** By name. */
  mentioned: Map<string, UserId>;
  /** All versions of each tweet, the newest first; undefined once it is deleted. */
  written: Map<TweetId, string[] | undefined>;
}

const someText = fc
  .uniqueArray(fc.constantFrom(...words, ...tags, ...names.map((name) => `@${name}`)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(" "));
const acts = fc.record({
  does: fc.constantFrom("post", "edit", "edit", "edit", "editTwice", "delete", "job", "job"),
  which: fc.nat({ max: 50 }),
  text: someText,
  other: someText,
});

describe("edits against a model", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("tags, search, mentions and histories agree with the tweets, in whatever order jobs run", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 4, maxLength: 25 }), async (happened) => {
        await emptyRedis(world.ctx.redis);
        await world.ctx.memory.settled();
        const { ctx, promised } = recordJobs(world.ctx);
        const model = await newModel(ctx);
        const left: (() => Promise<void>)[] = [];
        for (const act of happened) {
          await perform(ctx, model, act);
          const isDelivered = act.does === "post" && act.which % 2 === 0;
          if (isDelivered) await promised.pop()?.();
          left.push(...promised.splice(0));
          // Some run again at the end.
          const nth = act.which % Math.max(1, left.length);
          if (act.does === "job") await left[nth]?.();
          if (act.does === "job" && act.which % 2 === 0) left.splice(nth, 1);
        }
        for (const job of left.toSorted(() => (happened.length % 2) - 0.5)) await job();
        await compare(world.ctx, model);
      }),
      runs(100, 20_000),
    );
  });
});

async function newModel(ctx: Ctx): Promise<Model> {
  const [author, ...others] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
  const mentioned = new Map<string, UserId>();
  for (const [nth, name] of names.entries()) {
    const id = others[nth] as UserId;
    await ctx.redis.set(keys.username(name), id);
    await ctx.redis.hset(keys.user(id), "name", name);
    mentioned.set(name, id);
  }
  return { author, mentioned, written: new Map() };
}

async function perform(
  ctx: Ctx,
  { author, written }: Model,
  { does, which, text, other }: { does: string; which: number; text: string; other: string },
): Promise<void> {
  const ids = [...written.keys()];
  const id = ids[which % Math.max(1, ids.length)];
  if (does === "post") written.set(await postTweet(ctx, author, { text }), [text]);
  const versions = id && written.get(id);
  if (id === undefined || versions === undefined) return;
  const edit = (to: string) =>
    editTweet(ctx, author, id, { text: to, pictures: [], sensitive: false });
  if (does === "delete") {
    await deleteTweet(ctx, author, id);
    written.set(id, undefined);
  } else if (does === "edit") {
    await edit(text);
    if (versions[0] !== text) versions.unshift(text);
  } else if (does === "editTwice") {
    await Promise.all([edit(text), edit(other)]);
    // Either may be the last.
    const isFirstLast = (await findTweet(ctx, id))?.text === text;
    for (const one of isFirstLast ? [other, text] : [text, other])
      if (versions[0] !== one) versions.unshift(one);
  }
}

/** What the lists of the site have, and what they are to have. */
async function compare(ctx: Ctx, model: Model): Promise<void> {
  const living = [...model.written].flatMap(([id, versions]) =>
    versions === undefined ? [] : [{ id, parts: (versions[0] ?? "").split(" ") }],
  );
  const having = (part: string) =>
    living.filter(({ parts }) => parts.includes(part)).map(({ id }) => id);
  for (const [part, ids] of await listsOf(ctx, model))
    expect([part, sorted(ids)]).toEqual([part, having(part)]);
  const uses = living.flatMap(({ id, parts }) =>
    parts.filter((one) => tags.includes(one)).map((one) => `${id}:${model.author}:${one.slice(1)}`),
  );
  expect((await ctx.redis.zrange(keys.tagUses, 0, "-1")).toSorted()).toEqual(uses.toSorted());
  for (const [id, versions] of model.written) {
    const tweet = await findTweet(ctx, id);
    expect(tweet?.editedAt !== undefined).toBe((versions?.length ?? 0) > 1);
    const history = tweet && (await historyOf(ctx, tweet));
    expect(history?.map(({ text }) => text)).toEqual(versions);
  }
}

/** Ids of tweets by word, tag and mention. */
async function listsOf(ctx: Ctx, { mentioned, written }: Model): Promise<[string, string[]][]> {
  const lists: [string, string[]][] = [];
  for (const word of words)
    lists.push([word, await ctx.redis.zrange(keys.searchTerm(word), 0, "-1")]);
  for (const tag of tags)
    lists.push([tag, await ctx.redis.zrange(keys.tag(tag.slice(1)), 0, "-1")]);
  for (const [name, id] of mentioned) {
    const notified = (await notificationsAfter(ctx, id, 0)).flatMap(({ tweet }) => tweet ?? []);
    // Readers leave out those of deleted tweets.
    lists.push([`@${name}`, notified.filter((one) => written.get(one) !== undefined)]);
  }
  return lists;
}

function sorted(ids: string[]): string[] {
  return ids.toSorted((one, other) => Number(one) - Number(other));
}
