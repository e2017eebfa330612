import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block } from "../../../src/domain/actions/block.ts";
import { areFree } from "../../../src/domain/counters.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { mute } from "../../../src/domain/actions/mute.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { ConversationId, TweetId, UserId } from "../../../src/domain/ids.ts";
import {
  conversationsPage,
  countUnreadConversations,
  getConversation,
  messagesFeed,
} from "../../../src/domain/messages/conversations.ts";
import {
  joinConversation,
  leaveConversation,
  markConversationRead,
  unlistConversation,
} from "../../../src/domain/messages/marks.ts";
import { conversationAmong } from "../../../src/domain/messages/people.ts";
import { keys } from "../../../src/redis/keys.ts";
import { deliverAll, newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("conversations", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const newTrio = async () => (await newPeople(world.ctx, 3)) as [UserId, UserId, UserId];

  async function send(author: UserId, people: UserId[], text = "hello", more = {}) {
    const message = { text, audience: "mentioned", people, ...more } as const;
    const id = await postTweet(world.ctx, author, message);
    await deliverAll(world.ctx, id);
    return id;
  }

  const idsOf = async (user: UserId, list?: "messageRequests") =>
    (await conversationsPage(world.ctx, { id: user }, { list })).items.map(({ id }) => id);
  const unreadOf = (user: UserId) => countUnreadConversations(world.ctx, { id: user });
  const textsOf = async (user: UserId, id: ConversationId) =>
    (await messagesFeed(world.ctx, { id: user }, id)).items.map(({ tweet }) => tweet.text);
  const newestOf = async (user: UserId) => {
    const [item] = (await conversationsPage(world.ctx, { id: user }, {})).items;
    return item as NonNullable<typeof item>;
  };
  const onlyFollowed = (user: UserId) =>
    world.ctx.redis.hset(keys.user(user), "messages_from", "followed");

  it("a message is in the one conversation of its people, whoever writes", async () => {
    const [ann, bob, cat] = await newTrio();
    await send(ann, [cat, bob], "one");
    await send(cat, [ann, bob], "two");
    const id = conversationAmong([bob, cat, ann]);
    for (const user of [ann, bob, cat]) {
      expect(await idsOf(user)).toEqual([id]);
      expect(await textsOf(user, id)).toEqual(["two", "one"]);
    }
  });

  it("fewer people are another conversation", async () => {
    const [ann, bob, cat] = await newTrio();
    await send(ann, [bob, cat]);
    await send(ann, [bob]);
    const [two, three] = [conversationAmong([ann, bob]), conversationAmong([ann, bob, cat])];
    expect(await idsOf(bob)).toEqual([two, three]);
    expect(await idsOf(cat)).toEqual([three]);
  });

  it("a reply to a message stays in its conversation", async () => {
    const [ann, bob, cat] = await newTrio();
    const first = await send(ann, [bob, cat]);
    await send(bob, [], "back", { replyTo: first });
    expect(await textsOf(cat, conversationAmong([ann, bob, cat]))).toEqual(["back", "hello"]);
  });

  it("conversations are unread until they are read, but not for who wrote last", async () => {
    const [ann, bob, cat] = await newTrio();
    await send(ann, [bob, cat]);
    expect(await Promise.all([ann, bob, cat].map(unreadOf))).toEqual([0, 1, 1]);
    await markConversationRead(world.ctx, bob, await newestOf(bob));
    expect(await unreadOf(bob)).toBe(0);
    expect((await newestOf(cat)).unread).toBe(true);
    await send(cat, [ann, bob]);
    expect(await Promise.all([ann, bob, cat].map(unreadOf))).toEqual([1, 1, 0]);
  });

  it("nobody but its people finds a conversation", async () => {
    const [ann, bob, stranger] = await newTrio();
    await send(ann, [bob]);
    const id = conversationAmong([ann, bob]);
    await expect(getConversation(world.ctx, { id: stranger }, id)).rejects.toThrow("conversation");
    expect(await textsOf(stranger, id)).toEqual([]);
    for (const raw of [`${id}-`, id.split("-").toReversed().join("-"), `0${id}`, "", "x"])
      await expect(getConversation(world.ctx, { id: ann }, raw)).rejects.toThrow("conversation");
  });

  it("messages of users who are blocked or muted are not listed, and those before are hidden", async () => {
    const [ann, bob, cat] = await newTrio();
    await send(bob, [ann]);
    await send(cat, [ann]);
    await block(world.ctx, { blocker: ann, blocked: bob });
    await mute(world.ctx, { muter: ann, muted: cat });
    await send(bob, [ann]);
    await send(cat, [ann]);
    expect(await idsOf(ann)).toEqual([]);
    expect(await unreadOf(ann)).toBe(0);
    await expect(
      getConversation(world.ctx, { id: ann }, conversationAmong([ann, bob])),
    ).rejects.toThrow("conversation");
    expect(await textsOf(ann, conversationAmong([ann, cat]))).toEqual([]);
  });

  it("messages of strangers are requests, for users who want that, until they are accepted", async () => {
    const [ann, bob, friend] = await newTrio();
    await onlyFollowed(ann);
    await follow(world.ctx, { follower: ann, followee: friend });
    const id = conversationAmong([ann, bob]);
    await send(bob, [ann]);
    await send(friend, [ann]);
    expect(await idsOf(ann)).toEqual([conversationAmong([ann, friend])]);
    expect(await idsOf(ann, "messageRequests")).toEqual([id]);
    expect(await unreadOf(ann)).toBe(1);
    expect(await getConversation(world.ctx, { id: ann }, id)).toMatchObject({ isRequest: true });
    await joinConversation(world.ctx, ann, id);
    await send(bob, [ann], "again");
    expect(await idsOf(ann)).toEqual([id, conversationAmong([ann, friend])]);
    expect(await idsOf(ann, "messageRequests")).toEqual([]);
  });

  it("answering a request accepts it", async () => {
    const [ann, bob] = await newTrio();
    await onlyFollowed(ann);
    const message = await send(bob, [ann]);
    await send(ann, [], "who are you?", { replyTo: message });
    expect(await idsOf(ann)).toEqual([conversationAmong([ann, bob])]);
    expect(await idsOf(ann, "messageRequests")).toEqual([]);
  });

  it("requests and left conversations notify nobody", async () => {
    const [ann, bob, cat] = await newTrio();
    await onlyFollowed(ann);
    await send(cat, [ann, bob]);
    await leaveConversation(world.ctx, bob, conversationAmong([ann, bob, cat]));
    await send(cat, [ann, bob]);
    const counts = [ann, bob].map((user) => world.ctx.redis.zcard(keys.notifications(user)));
    expect(await Promise.all(counts)).toEqual([0, 1]);
  });

  it("a left conversation stays away until its user writes", async () => {
    const [ann, bob] = await newTrio();
    const id = conversationAmong([ann, bob]);
    await send(ann, [bob]);
    await leaveConversation(world.ctx, bob, id);
    await send(ann, [bob], "are you there?");
    expect(await idsOf(bob)).toEqual([]);
    expect(await unreadOf(bob)).toBe(0);
    expect(await textsOf(bob, id)).toEqual(["are you there?", "hello"]);
    await send(bob, [ann], "yes");
    await send(ann, [bob], "fine");
    expect(await idsOf(bob)).toEqual([id]);
    expect(await unreadOf(bob)).toBe(1);
  });

  it("a message that is delivered again does not bring back who has left", async () => {
    const [ann, bob] = await newTrio();
    const message = await send(ann, [bob]);
    for (const user of [ann, bob])
      await leaveConversation(world.ctx, user, conversationAmong([ann, bob]));
    await deliverAll(world.ctx, message);
    expect(await Promise.all([ann, bob].map((user) => idsOf(user)))).toEqual([[], []]);
  });

  it("a removed conversation comes back with its next message", async () => {
    const [ann, bob] = await newTrio();
    const id = conversationAmong([ann, bob]);
    await send(ann, [bob]);
    await unlistConversation(world.ctx, bob, id);
    expect(await idsOf(bob)).toEqual([]);
    await send(ann, [bob]);
    expect(await idsOf(bob)).toEqual([id]);
  });

  it("deleted messages are gone, and a conversation without any with them", async () => {
    const [ann, bob] = await newTrio();
    const id = conversationAmong([ann, bob]);
    const [first, second] = [await send(ann, [bob], "first"), await send(ann, [bob], "second")];
    const remove = (message: TweetId) => deleteTweet(world.ctx, ann, message);
    await remove(second);
    expect(await textsOf(bob, id)).toEqual(["first"]);
    expect((await newestOf(bob)).item.tweet.text).toBe("first");
    await remove(first);
    expect(await idsOf(bob)).toEqual([]);
    expect(await unreadOf(bob)).toBe(0);
    const lists = [keys.conversation(id), keys.sentMessages(ann)];
    expect(await areFree(world.ctx, lists)).toBe(true);
  });

  it("conversations are paged in both directions", async () => {
    const [ann, ...others] = await newPeople(world.ctx, 8);
    for (const other of others) await send(other, [ann as UserId]);
    const page = async (range: object) =>
      await conversationsPage(world.ctx, { id: ann as UserId }, { limit: 3, ...range });
    const all = (await page({ limit: 50 })).items;
    const first = await page({});
    const second = await page({ before: first.older });
    expect([...first.items, ...second.items]).toEqual(all.slice(0, 6));
    const above = await page({ from: all[6]?.stamp });
    expect(above.items).toEqual(all.slice(3, 6));
  });
});
