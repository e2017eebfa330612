import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { listMessage } from "../../../src/domain/messages/list-message.ts";
import { leaveConversation } from "../../../src/domain/messages/marks.ts";
import { conversationAmong } from "../../../src/domain/messages/people.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { holdCommands } from "../../security/hold-commands.ts";
import { deliverAll, newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("listing a message", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a user who leaves while a message is being listed hears no more of the conversation", async () => {
    const { ctx } = world;
    const [ann, bob] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const id = conversationAmong([ann, bob]);
    const send = async () => {
      const message = { text: "hello", audience: "mentioned", people: [bob] } as const;
      const sent = await postTweet(ctx, ann, message);
      await deliverAll(ctx, sent);
      return sent;
    };
    const message = await getTweet(ctx, await send());
    const held = holdCommands(ctx, keys.conversations(bob));
    const listing = listMessage(held.ctx, message);
    await held.waiting(1);
    await leaveConversation(ctx, bob, id);
    held.release();
    await listing;
    await send();
    expect(await ctx.redis.zscore(keys.conversations(bob), id)).toBeNull();
    expect(await ctx.redis.zscore(keys.conversations(ann), id)).not.toBeNull();
    expect(await ctx.redis.zcard(keys.notifications(bob))).toBe(1);
  });
});
