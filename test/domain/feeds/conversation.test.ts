import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import {
  conversationBelow,
  countNewReplies,
  descendantsOf,
} from "../../../src/domain/feeds/conversation.ts";
import type { TweetId, UserId, Stamp } from "../../../src/domain/ids.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("the conversation below a tweet", () => {
  let world: World;
  let ann: UserId;
  let bob: UserId;
  let top: TweetId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    [ann, bob] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    top = await reply(undefined);
  });
  afterAll(() => world.close());

  async function reply(replyTo: TweetId | undefined, author = ann): Promise<TweetId> {
    return await postTweet(world.ctx, author, { text: "words", replyTo });
  }

  /** Tweets below `from` that each answer the one before. */
  async function chain(from: TweetId, length: number): Promise<TweetId[]> {
    const ids: TweetId[] = [];
    for (let nth = 0; nth < length; nth += 1) ids.push(await reply(ids.at(-1) ?? from));
    return ids;
  }

  async function below(id: TweetId, after?: Stamp, viewer?: UserId) {
    const looking = viewer && (await getViewer(world.ctx, viewer));
    const { chains, next } = await conversationBelow(world.ctx, id, {
      viewer: looking,
      from: after,
    });
    const shown = chains.map(({ reply: { tweet }, answers, more }) => ({
      ids: [tweet.id, ...answers.map((item) => item.tweet.id)],
      more,
    }));
    return { shown, next };
  }

  it("replies come oldest first, each followed by its answers and theirs", async () => {
    const first = await reply(top);
    const second = await reply(top);
    const answer = await reply(first);
    const other = await reply(first);
    const deep = await reply(answer);
    const { shown, next } = await below(top);
    expect(shown).toEqual([
      { ids: [first, answer, deep, other], more: undefined },
      { ids: [second], more: undefined },
    ]);
    expect(next).toBeUndefined();
  });

  it("an exchange 14 tweets deep is read on two pages", async () => {
    const ids = await chain(top, 13);
    const { shown } = await below(top);
    expect(shown).toEqual([{ ids: ids.slice(0, 9), more: ids[8] }]);
    const rest = await below(ids[8] as TweetId);
    expect(rest.shown).toEqual([{ ids: ids.slice(9), more: undefined }]);
  });

  it("the link to more leads to the tweet whose answers are left out", async () => {
    const first = await reply(top);
    const answers = [];
    for (let nth = 0; nth < 9; nth += 1) answers.push(await reply(first));
    expect((await below(top)).shown).toEqual([
      { ids: [first, ...answers.slice(0, 8)], more: first },
    ]);
  });

  it("the link to more leads to a shown tweet, and there is none to hidden answers alone", async () => {
    const [viewer] = (await newPeople(world.ctx, 1)) as [UserId];
    await world.ctx.redis.zadd(keys.blockedBy(viewer), 1, bob);
    const first = await reply(top);
    const hidden = await reply(first, bob);
    const answers = [];
    for (let nth = 0; nth < 9; nth += 1) answers.push(await reply(hidden));
    const second = await reply(top);
    for (let nth = 0; nth < 9; nth += 1) await reply(second, bob);
    expect((await below(top, undefined, viewer)).shown).toEqual([
      { ids: [first, ...answers.slice(0, 8)], more: first },
      { ids: [second], more: undefined },
    ]);
    expect((await below(top)).shown.map(({ more }) => more)).toEqual([hidden, second]);
  });

  it("many hidden answers keep no later one from the page", async () => {
    const [viewer] = (await newPeople(world.ctx, 1)) as [UserId];
    await world.ctx.redis.zadd(keys.blockedBy(viewer), 1, bob);
    const stranger = (await newPeople(world.ctx, 1))[0] as UserId;
    const first = await reply(top);
    for (let nth = 0; nth < 9; nth += 1)
      await postTweet(world.ctx, stranger, { text: "b", replyTo: first, audience: "followers" });
    for (let nth = 0; nth < 9; nth += 1) await reply(first, bob);
    const last = await reply(first);
    const { shown } = await below(top, undefined, viewer);
    // Seventeen were read, all of them hidden: the page of the reply has the rest.
    expect(shown).toEqual([{ ids: [first], more: first }]);
    expect((await below(first, undefined, viewer)).shown).toEqual([
      { ids: [last], more: undefined },
    ]);
    const second = await reply(top);
    for (let nth = 0; nth < 9; nth += 1) await reply(second, bob);
    const answer = await reply(second);
    expect((await below(top, undefined, viewer)).shown[1]).toEqual({
      ids: [second, answer],
      more: undefined,
    });
  });

  it.each([["below one answer"], ["below the tweet"]])(
    "hidden answers take no place of open ones in apps: %s",
    async (where) => {
      const hidden = (replyTo: TweetId) =>
        postTweet(world.ctx, bob, { text: "b", replyTo, audience: "followers" });
      const above = where === "below the tweet" ? top : await hidden(top);
      await Promise.all(Array.from({ length: 520 }, () => hidden(above)));
      const open = await reply(top);
      const answer = await reply(open);
      const items = await descendantsOf(world.ctx, undefined, top);
      expect(items.map(({ tweet }) => tweet.id)).toEqual([open, answer]);
    },
  );

  it("many replies are paged to the end, without deleted ones", async () => {
    const replies: TweetId[] = [];
    for (let nth = 0; nth < 45; nth += 1) replies.push(await reply(top));
    await deleteTweet(world.ctx, ann, replies[3] as TweetId);
    const expected = replies.filter((_, nth) => nth !== 3);
    const seen: TweetId[] = [];
    let after: Stamp | undefined;
    const sizes: number[] = [];
    do {
      const { shown, next } = await below(top, after);
      seen.push(...shown.flatMap(({ ids }) => ids));
      sizes.push(shown.length);
      after = next;
    } while (after !== undefined);
    expect(seen).toEqual(expected);
    expect(sizes).toEqual([20, 20, 4]);
  });

  it("users hidden from the viewer are left out, the answers to them are not", async () => {
    const first = await reply(top);
    const hidden = await reply(first, bob);
    const answer = await reply(hidden);
    const own = await reply(top, bob);
    const [viewer] = (await newPeople(world.ctx, 1)) as [UserId];
    await world.ctx.redis.zadd(keys.blockedBy(viewer), 1, bob);
    expect((await below(top, undefined, viewer)).shown).toEqual([
      { ids: [first, answer], more: undefined },
    ]);
    expect((await below(top)).shown.flatMap(({ ids }) => ids)).toContain(own);
  });

  it("new replies and answers by others are counted after what the page shows", async () => {
    const viewer = await getViewer(world.ctx, ann);
    const old = await reply(top, bob);
    const { createdAt } = await getTweet(world.ctx, old);
    expect(await countNewReplies(world.ctx, viewer, top, createdAt)).toBe(0);
    await reply(top, bob);
    await reply(top, ann);
    expect(await countNewReplies(world.ctx, viewer, top, createdAt)).toBe(1);
    const answer = await reply(old, bob);
    await reply(old, ann);
    await reply(answer, bob);
    expect(await countNewReplies(world.ctx, viewer, top, createdAt)).toBe(3);
  });
});
