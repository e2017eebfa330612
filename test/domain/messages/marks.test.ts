import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { ConversationId, UserId } from "../../../src/domain/ids.ts";
import {
  joinConversation,
  leaveConversation,
  markConversationRead,
  marksOf,
  markWritten,
} from "../../../src/domain/messages/marks.ts";
import { conversationAmong } from "../../../src/domain/messages/people.ts";
import { keys } from "../../../src/redis/keys.ts";
import { deliverAll, newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("the mark of a user in a conversation", () => {
  let world: World;
  let [ann, bob] = ["", ""] as unknown as [UserId, UserId];
  let id = "" as ConversationId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    [ann, bob] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    id = conversationAmong([ann, bob]);
    await world.ctx.redis.zadd(keys.conversation(id), 1, "1");
  });
  afterAll(() => world.close());

  const mark = async () => (await marksOf(world.ctx, ann, [id]))(id);
  const listedAt = async () => Number(await world.ctx.redis.zscore(keys.conversations(ann), id));

  /** The context in which `act` happens once, between the first of these reads and what follows it. */
  function actingAfter(read: "hmget" | "zrange", act: () => Promise<unknown>): Ctx {
    let acted = false;
    const redis = new Proxy(world.ctx.redis, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (name !== read || typeof method !== "function") return method;
        return async (...args: unknown[]) => {
          const reply: unknown = await Reflect.apply(method, target, args);
          if (!acted) {
            acted = true;
            await act();
          }
          return reply;
        };
      },
    });
    return { ...world.ctx, redis };
  }

  it("leaving conversations without messages leaves nothing behind", async () => {
    const { ctx } = world;
    const [dee] = (await newPeople(ctx, 1)) as [UserId];
    const strangers = ["100000000000001", "100000000000002"] as UserId[];
    await leaveConversation(ctx, dee, conversationAmong([dee, ann, ...strangers]));
    expect(await ctx.redis.exists(keys.conversationMarks(dee))).toBe(0);
  });

  it("a look that began before its user left does not undo the leaving", async () => {
    const ctx = actingAfter("hmget", () => leaveConversation(world.ctx, ann, id));
    await markConversationRead(ctx, ann, { id, stamp: 50 });
    expect((await mark()).left).toBeGreaterThan(0);
  });

  it("a message that was written before its author left does not undo the leaving", async () => {
    await leaveConversation(world.ctx, ann, id);
    const { left } = await mark();
    await markWritten(world.ctx, ann, { id, stamp: left - 1 });
    expect((await mark()).left).toBe(left);
    await markWritten(world.ctx, ann, { id, stamp: left + 1 });
    expect(await mark()).toEqual({ read: left + 1, left: 0 });
  });

  it("what a second device has read stays read", async () => {
    const { read } = await mark();
    const ctx = actingAfter("hmget", () =>
      markConversationRead(world.ctx, ann, { id, stamp: read + 20 }),
    );
    await markConversationRead(ctx, ann, { id, stamp: read + 10 });
    expect(await mark()).toEqual({ read: read + 20, left: 0 });
  });

  it("a message that comes while its user returns keeps the conversation where it is listed", async () => {
    const message = { text: "hello", audience: "mentioned", people: [ann] } as const;
    const send = async () => {
      await deliverAll(world.ctx, await postTweet(world.ctx, bob, message));
      return await listedAt();
    };
    const first = await send();
    let second = 0;
    const ctx = actingAfter("zrange", async () => {
      second = await send();
    });
    await joinConversation(ctx, ann, id);
    expect(second).toBeGreaterThan(first);
    expect(await listedAt()).toBe(second);
  });

  it("a user who returns has read the conversation up to the leaving, and nothing else moves", async () => {
    await leaveConversation(world.ctx, ann, id);
    const { left } = await mark();
    await joinConversation(world.ctx, ann, id);
    await joinConversation(world.ctx, ann, id);
    expect(await mark()).toEqual({ read: left, left: 0 });
  });
});
