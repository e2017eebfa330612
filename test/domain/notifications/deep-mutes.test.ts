import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { Ctx } from "../../../src/context.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import {
  isInMutedConversation,
  muteConversation,
  unmuteConversation,
} from "../../../src/domain/notifications/muted-conversations.ts";
import { keys, mostOf } from "../../../src/redis/keys.ts";
import { newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("mutes of deep conversations", () => {
  let world: World;
  let author: UserId;
  /** A chain of answers, the first tweet first. */
  const chain: TweetId[] = [];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    [author] = (await newPeople(world.ctx, 1)) as [UserId];
    for (let nth = 0; nth < 60; nth += 1) {
      const replyTo = chain.at(-1);
      const above = replyTo === undefined ? {} : { replyTo };
      chain.push(await postTweet(world.ctx, author, { text: `level ${nth}`, ...above }));
    }
  });
  afterAll(() => world.close());

  const newReader = async () => {
    const [reader] = (await newPeople(world.ctx, 1)) as [UserId];
    return { reader, key: keys.mutedConversations(reader) };
  };

  it("a conversation that is unmuted while an answer far below arrives stays unmuted", async () => {
    const { ctx } = world;
    const { reader, key } = await newReader();
    await muteConversation(ctx, reader, chain[0] as TweetId);
    const late = pausingAfterLook(ctx, () => unmuteConversation(ctx, reader, chain[0] as TweetId));
    expect(await isInMutedConversation(late, reader, chain.at(-1) as TweetId)).toBe(true);
    expect(await ctx.redis.zrange(key, 0, "-1")).toEqual([]);
  });

  it("marks far below push no other mute out", async () => {
    const { ctx } = world;
    const { reader, key } = await newReader();
    const other = await postTweet(ctx, author, { text: "muted first" });
    await muteConversation(ctx, reader, other);
    await muteConversation(ctx, reader, chain[0] as TweetId);
    const stamp = Number(await ctx.redis.zscore(key, chain[0] ?? ""));
    const marks = Array.from({ length: mostOf("mutedConversations") - 2 }, (_, nth) => [
      stamp,
      `${1_000_000 + nth}`,
    ]);
    await ctx.redis.zadd(key, ...marks.flat());
    expect(await isInMutedConversation(ctx, reader, chain.at(-1) as TweetId)).toBe(true);
    expect(await ctx.redis.zscore(key, other)).not.toBeNull();
    expect(await ctx.redis.zcard(key)).toBe(mostOf("mutedConversations"));
  });
});

/** A process that pauses once it has read the marks of one user, until `meanwhile` is over. */
function pausingAfterLook(ctx: Ctx, meanwhile: () => Promise<void>): Ctx {
  const call = async (name: string, ...args: string[]) => {
    const reply: unknown = await ctx.redis.call(name, ...args);
    if (name === "zmscore") await meanwhile();
    return reply;
  };
  const redis = new Proxy(ctx.redis, {
    get: (target, name): unknown => (name === "call" ? call : Reflect.get(target, name, target)),
  });
  return { ...ctx, redis };
}
