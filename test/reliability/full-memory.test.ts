import type { Express } from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { bookmarkTweet } from "../../src/domain/actions/bookmark.ts";
import type { TweetId } from "../../src/domain/ids.ts";
import { conversationAmong } from "../../src/domain/messages/people.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import type { Queues } from "../../src/jobs/queue.ts";
import { keys } from "../../src/redis/keys.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { password, Visitor } from "../support/actors/visitor.ts";
import { type FullSite, openFullSite } from "../support/world/full-site.ts";
import { countOf } from "../support/world/test-redis.ts";

describe("a full memory (R5)", () => {
  let site: FullSite;
  let ctx: Ctx;
  let queues: Queues;
  let app: Express;
  let person: Visitor;
  let other: Visitor;
  let tweets: Record<string, TweetId>;

  beforeAll(async () => {
    site = await openFullSite();
    ({ ctx, queues, app } = site);
    person = await site.newcomer("crowded");
    other = await site.newcomer("other");
    await person.follow("other");
    for (const text of ["liked", "retweeted", "bookmarked"]) await other.tweet(text);
    for (const text of ["mine", "stays"]) await person.tweet(text);
    const seen = [...(await person.see("/@other")), ...(await person.see("/@crowded"))];
    tweets = Object.fromEntries(seen.map(({ id, text }) => [text, id as TweetId]));
    await person.post(`/tweets/${tweets["liked"]}/like`).expect(303);
    await person.post(`/tweets/${tweets["retweeted"]}/retweet`).expect(303);
    const { id } = await getUserByName(ctx, "crowded");
    await bookmarkTweet(ctx, id, tweets["bookmarked"] as TweetId);
  });
  afterAll(() => site.close());

  it("in a full memory pages are shown and writes refused, but undoing and blocking work", async () => {
    await site.settled();
    const leaver = new Visitor(app);
    await leaver.logIn("crowded");
    const phone = await ApiClient.of({ ctx, app }, "crowded");
    const [kept] = (await phone.get("/api/v1/bookmarks").expect(200)).body as { id: string }[];
    const { redis } = ctx;
    const [me, them] = await Promise.all(
      ["crowded", "other"].map(async (name) => (await getUserByName(ctx, name)).id),
    );
    if (me === undefined || them === undefined) throw new Error("nobody");
    await site.whileFull(async () => {
      for (const path of [
        "/",
        "/explore",
        "/@other",
        `/tweets/${tweets["liked"]}`,
        "/settings/profile",
      ])
        expect([path, (await person.get(path)).status]).toEqual([path, 200]);
      for (const [path, fields] of [
        ["/tweets", { text: "no room" }],
        [`/tweets/${tweets["retweeted"]}/like`, {}],
      ] as const) {
        const answer = await person.post(path, fields);
        expect([path, answer.status]).toEqual([path, 503]);
        expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      }
      const taken = await phone.post(`/api/v1/statuses/${kept?.id}/unbookmark`);
      expect([taken.status, (taken.body as { bookmarked?: boolean }).bookmarked]).toEqual([
        200,
        false,
      ]);
      for (const path of [
        `/tweets/${tweets["liked"]}/unlike`,
        `/tweets/${tweets["retweeted"]}/unretweet`,
        `/tweets/${tweets["mine"]}/delete`,
        "/@other/unfollow",
        "/@other/mute",
        "/@other/unmute",
        "/@other/block",
      ])
        expect([path, (await person.post(path)).status]).toEqual([path, 303]);
      await leaver.post("/logout").expect(303);
      await leaver.get("/settings/profile").expect(303);
      await person.get(`/tweets/${tweets["mine"]}`).expect(404);
      expect((await person.see("/")).map(({ text }) => text)).toEqual(["stays"]);
    });

    const empty = async (key: string, member: string) =>
      expect([key, await redis.zscore(key, member)]).toEqual([key, null]);
    const expectTruth = async () => {
      await empty(keys.likes(me), tweets["liked"] ?? "");
      await empty(keys.tweetLikes(tweets["liked"] as TweetId), me);
      await empty(keys.tweetRetweets(tweets["retweeted"] as TweetId), me);
      expect(await redis.hget(keys.retweets(me), tweets["retweeted"] ?? "")).toBeNull();
      await empty(keys.bookmarks(me), tweets["bookmarked"] ?? "");
      await empty(keys.followings(me), them);
      await empty(keys.followers(them), me);
      await empty(keys.userTimeline(me), tweets["mine"] ?? "");
      const counts = await redis.hmget(keys.tweet(tweets["liked"] as TweetId), "likes", "retweets");
      expect(counts.map(Number)).toEqual([0, 0]);
      const block = await redis.zscore(keys.blocks(me), them);
      expect(block).not.toBeNull();
      expect(await redis.zscore(keys.blockedBy(them), me)).toBe(block);
    };
    await expectTruth();
    // The promises that found no room are made late, and kept: nothing comes back, nothing fails.
    await expect.poll(site.promised, { timeout: 20_000, interval: 20 }).toBeGreaterThan(0);
    await site.settled();
    await expectTruth();
    await person.get("/search?q=mine").expect(200);
    expect(
      (await queues.counts()).filter(({ state, count }) => state === "failed" && count > 0),
    ).toEqual([]);
  });

  it("in a full memory a message can be deleted, and notifications be cleared", async () => {
    const [sender, reader] = [await site.newcomer("sender"), await site.newcomer("reader")];
    await reader.follow("sender");
    await sender.tweet("hello @reader");
    const { headers } = await sender.post("/messages/new", { to: "@reader" }).expect(303);
    await sender.post(headers["location"] ?? "", { text: "between us" }).expect(303);
    await site.settled();
    const [from, to] = await Promise.all(
      ["sender", "reader"].map(async (name) => (await getUserByName(ctx, name)).id),
    );
    if (from === undefined || to === undefined) throw new Error("nobody");
    const id = conversationAmong([from, to]);
    const [message] = await ctx.redis.zrange(keys.conversation(id), 0, "-1");
    const phone = await ApiClient.of(site, "reader");
    expect(await ctx.redis.zcard(keys.notifications(to))).toBe(2);
    await site.whileFull(async () => {
      await phone.post("/api/v1/notifications/clear").expect(200);
      await sender.post(`/tweets/${message}/delete`).expect(303);
    });
    expect(await countOf(ctx.redis, keys.notifications(to), keys.sentMessages(from))).toBe(0);
    expect(await ctx.redis.zscore(keys.conversations(to), id)).toBe("0");
    await site.settled();
  });

  it("in a full memory an account can be deleted, and is erased once there is room", async () => {
    const leaver = await site.newcomer("last_straw");
    const user = await getUserByName(ctx, "last_straw");
    await leaver.tweet("goodbye");
    await site.settled();
    await site.whileFull(async () => {
      await leaver
        .post("/settings/account/delete", { name: "last_straw", password: "wrong" })
        .expect(422);
      await leaver.post("/settings/account/delete", { name: "last_straw", password }).expect(303);
      await person.get("/@last_straw").expect(404);
      await leaver.get("/settings/profile").expect(303);
    });
    await expect.poll(site.promised, { timeout: 20_000, interval: 20 }).toBeGreaterThan(0);
    await site.settled();
    expect(await countOf(ctx.redis, keys.user(user.id), keys.userTimeline(user.id))).toBe(0);
  });
});
