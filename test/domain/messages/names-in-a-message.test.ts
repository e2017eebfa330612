import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { conversationsPage } from "../../../src/domain/messages/conversations.ts";
import { conversationAmong } from "../../../src/domain/messages/people.ts";
import { keys } from "../../../src/redis/keys.ts";
import { deliverAll, newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("names in a message", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a name in the text of a message lets nobody into its conversation", async () => {
    const { ctx } = world;
    const [ann, bob, cat] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    const name = (await ctx.redis.hget(keys.user(cat), "name")) ?? "";
    const send = async (author: UserId, to: UserId, text: string, replyTo?: TweetId) => {
      const message = { text, audience: "mentioned", people: [to], replyTo } as const;
      const id = await postTweet(ctx, author, message);
      await deliverAll(ctx, id);
      return id;
    };
    const first = await send(ann, bob, `What do you think of @${name}?`);
    await send(bob, ann, `I like @${name}`, first);
    const idsOf = async (user: UserId) =>
      (await conversationsPage(ctx, { id: user }, {})).items.map(({ id }) => id);
    expect(await idsOf(cat)).toEqual([]);
    for (const user of [ann, bob])
      expect(await idsOf(user)).toEqual([conversationAmong([ann, bob])]);
  });
});
