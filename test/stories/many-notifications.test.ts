import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tweetId } from "../../src/domain/ids.ts";
import { addNotification, notificationsKept } from "../../src/domain/notifications/store.ts";
import { createTweet } from "../../src/domain/tweets/store.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { newPerson } from "../support/actors/people.ts";
import { badgeOn } from "../support/inspect/notifications.ts";
import { olderOn, tweetsOn } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("very many notifications", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("very many notifications are bounded, paged to the end, and counted up to 99", async () => {
    const fay = await world.newcomer("fay");
    const { ctx } = world;
    const fayId = (await getUserByName(ctx, "fay")).id;
    const bobId = await newPerson(ctx);
    const badge = async () => badgeOn((await fay.get("/explore").expect(200)).text);
    const start = ctx.now() * 1000;
    for (let nth = 0; nth < 130; nth += 1) {
      const tweet = tweetId(await ctx.redis.incr(keys.tweetIds));
      const written = { id: tweet, author: bobId, text: `hello ${nth}`, createdAt: start + nth };
      await createTweet(ctx, written);
      await addNotification(ctx, fayId, {
        kind: "mention",
        tweet,
        actor: bobId,
        stamp: start + nth,
      });
    }
    // Of tweets that are gone: filtered and taken out, and the pages are full all the same.
    for (let nth = 0; nth < notificationsKept - 100; nth += 1) {
      const deed = { kind: "like", tweet: tweetId(5_000_000 + nth), actor: bobId } as const;
      await addNotification(ctx, fayId, { ...deed, stamp: start + 40 + (nth % 90) });
    }
    expect(await ctx.redis.zcard(keys.notifications(fayId))).toBe(notificationsKept);

    expect(await badge()).toBe("99+");
    const pages: string[][] = [];
    for (let path: string | undefined = "/notifications"; path !== undefined;) {
      const { text } = await fay.get(path).expect(200);
      pages.push(tweetsOn(text).map((tweet) => tweet.text));
      path = olderOn(text);
    }
    expect(pages.map((page) => page.length)).toEqual([50, 50]);
    const newest = Array.from({ length: 100 }, (_, nth) => `hello ${129 - nth}`);
    expect(pages.flat()).toEqual(newest);
    expect(await ctx.redis.zcard(keys.notifications(fayId))).toBe(100);
    expect(await badge()).toBeUndefined();
  });
});
