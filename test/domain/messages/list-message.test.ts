import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import {
  conversationsPage,
  findConversationItem,
} from "../../../src/domain/messages/conversations.ts";
import { listMessage } from "../../../src/domain/messages/list-message.ts";
import {
  joinConversation,
  leaveConversation,
  unlistConversation,
} from "../../../src/domain/messages/marks.ts";
import { conversationAmong } from "../../../src/domain/messages/people.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { holdCommands } from "../../security/hold-commands.ts";
import { deliverAll, newPeople } from "../../support/actors/people.ts";
import { runDoctor } from "../../support/world/doctor.ts";
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

  it("an accepted conversation that is removed or emptied does not become a request again", async () => {
    const { ctx } = world;
    const [ann, bob] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const id = conversationAmong([ann, bob]);
    await ctx.redis.hset(keys.user(bob), "messages_from", "followed");
    const messages: TweetId[] = [];
    const send = async () => {
      const message = { text: "hello", audience: "mentioned", people: [bob] } as const;
      messages.push(await postTweet(ctx, ann, message));
      await deliverAll(ctx, messages.at(-1) as TweetId);
    };
    const listed = async (list: "conversations" | "messageRequests") =>
      (await conversationsPage(ctx, { id: bob }, { list })).items.map((one) => one.id);
    await send();
    expect(await listed("messageRequests")).toEqual([id]);
    await joinConversation(ctx, bob, id);
    await unlistConversation(ctx, bob, id);
    expect(await listed("conversations")).toEqual([]);
    expect(await findConversationItem(ctx, { id: bob }, id)).toBeUndefined();
    await send();
    expect(await listed("conversations")).toEqual([id]);
    for (const message of messages) await deleteTweet(ctx, ann, message);
    expect(await listed("conversations")).toEqual([]);
    const { findings } = await runDoctor(world);
    expect(findings.filter(({ kind }) => kind === "conversation-stray")).toEqual([]);
    await send();
    expect(await listed("conversations")).toEqual([id]);
    expect(await listed("messageRequests")).toEqual([]);
    expect(await ctx.redis.zcard(keys.notifications(bob))).toBe(1);
  });

  it("an accepted conversation that the doctor finds empty stays accepted", async () => {
    const { ctx } = world;
    const [ann, bob] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const id = conversationAmong([ann, bob]);
    await ctx.redis.hset(keys.user(bob), "messages_from", "followed");
    // As if the process of a deletion had ended before the lists of people.
    await ctx.redis.zadd(keys.conversations(bob), 1, id);
    await ctx.redis.zadd(keys.messageRequests(ann), 1, id);
    const { findings } = await runDoctor(world, { repair: true });
    expect(findings.filter(({ kind }) => kind === "conversation-stray")).toHaveLength(2);
    expect(await ctx.redis.zscore(keys.conversations(bob), id)).toBe("0");
    expect(await ctx.redis.zscore(keys.messageRequests(ann), id)).toBeNull();
    const sent = await postTweet(ctx, ann, { text: "hello", audience: "mentioned", people: [bob] });
    await deliverAll(ctx, sent);
    expect(await ctx.redis.zscore(keys.messageRequests(bob), id)).toBeNull();
    expect(Number(await ctx.redis.zscore(keys.conversations(bob), id))).toBeGreaterThan(1);
  });
});
