import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TweetId } from "../../src/domain/ids.ts";
import { reconcileFollow } from "../../src/domain/actions/follow.ts";
import { reconcileLike } from "../../src/domain/actions/like.ts";
import { reconcileRetweet } from "../../src/domain/actions/retweet.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { dump } from "../support/world/dump.ts";
import { deliverAll } from "../support/actors/people.ts";
import {
  badgeOn,
  type ShownNotification,
  notificationsOn,
} from "../support/inspect/notifications.ts";
import { hiddenFields, tweetsOn } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

describe("notifications", () => {
  let world: World;
  let ann: Visitor;
  let others: Visitor[];
  beforeAll(async () => {
    world = await createWorld();
    ann = await world.newcomer("ann");
    others = [];
    for (const name of ["bob", "cat", "dan", "eve"]) others.push(await world.newcomer(name));
  });
  afterAll(() => closeChecked(world));

  /** Looks at the first page, which marks it as read. */
  async function look(visitor = ann): Promise<ShownNotification[]> {
    return notificationsOn((await visitor.get("/notifications").expect(200)).text);
  }

  async function badge(visitor = ann): Promise<string | undefined> {
    return badgeOn((await visitor.get("/explore").expect(200)).text);
  }

  /** Posts a tweet, and waits until it is delivered. */
  async function say(visitor: Visitor, text: string): Promise<string> {
    await visitor.tweet(text);
    await world.delivered();
    return (await visitor.see(`/@${visitor.name}`))[0]?.id ?? "";
  }

  async function reply(visitor: Visitor, tweet: string, text: string): Promise<string> {
    const { text: page } = await visitor.get(`/tweets/${tweet}`).expect(200);
    const answer = await visitor.post("/tweets", { ...hiddenFields(page, "/tweets"), text });
    await world.delivered();
    return /#tweet-(\d+)/.exec(answer.headers["location"] ?? "")?.[1] ?? "";
  }

  const idOf = async (name: string) => (await getUserByName(world.ctx, name)).id;

  it("notifications require a log-in", async () => {
    const { headers } = await world.visitor().get("/notifications").expect(303);
    expect(headers["location"]).toBe("/login?next=%2Fnotifications");
    expect(badgeOn((await world.visitor().get("/")).text)).toBeUndefined();
  });

  it("an empty notifications page says so", async () => {
    const { text } = await ann.get("/notifications").expect(200);
    expect(text).toContain("Nothing yet.");
    expect(notificationsOn(text)).toEqual([]);
    expect(badgeOn(text)).toBeUndefined();
  });

  it("notifications group the same action of several users in one sentence, and count new ones", async () => {
    const [bob, cat, dan, eve] = others as [Visitor, Visitor, Visitor, Visitor];
    const tweet = await say(ann, "The cherry trees\nare in blossom");
    for (const visitor of [bob, cat]) await visitor.follow("ann");
    for (const visitor of [bob, cat, dan, eve])
      await visitor.post(`/tweets/${tweet}/like`).expect(303);
    for (const visitor of [dan, eve]) await visitor.post(`/tweets/${tweet}/retweet`).expect(303);
    await world.delivered();
    // What she does herself is no news to her.
    await ann.post(`/tweets/${tweet}/like`).expect(303);
    await say(ann, "I am @ann");

    expect(await badge()).toBe("3");
    const told = await look();
    expect(told.map(({ sentence }) => sentence)).toEqual([
      "New: Test eve and Test dan retweeted your tweet",
      "New: Test eve and 3 others liked your tweet",
      "New: Test cat and Test bob followed you",
    ]);
    expect(told.map(({ excerpt }) => excerpt)).toEqual([
      "The cherry trees are in blossom",
      "The cherry trees are in blossom",
      undefined,
    ]);
  });

  it("notifications are read once they were shown", async () => {
    expect(await badge()).toBeUndefined();
    const told = await look();
    expect(told).toHaveLength(3);
    expect(told.some(({ unread }) => unread)).toBe(false);
    const before = await dump(world.ctx);
    await look();
    await ann.get("/notifications?before=1").expect(200);
    expect(await dump(world.ctx)).toEqual(before);
  });

  it("prefetching does not mark notifications as read", async () => {
    const [bob] = others as [Visitor];
    await bob.unfollow("ann");
    await bob.follow("ann");
    expect(await badge()).toBe("1");
    await ann.agent.head("/notifications");
    await ann.get("/notifications").set("Sec-Purpose", "prefetch;prerender").expect(200);
    expect(await badge()).toBe("1");
    // On the page itself nothing is left to be announced.
    expect(badgeOn((await ann.get("/notifications")).text)).toBeUndefined();
    expect(await badge()).toBeUndefined();
  });

  it("replies and mentions are shown as tweets, each once, ready to be answered", async () => {
    const [bob, cat] = others as [Visitor, Visitor];
    const tweet = await say(ann, "Who brings bread?");
    const answer = await reply(bob, tweet, "I do, @ann and @cat");
    await say(cat, "thanks @ann @Ann @nobody_here");
    expect(await badge()).toBe("2");
    expect(await badge(cat)).toBe("1");

    const { text } = await ann.get("/notifications").expect(200);
    expect(
      notificationsOn(text)
        .slice(0, 2)
        .map(({ sentence }) => sentence),
    ).toEqual(["New: Test cat mentioned you", "New: Test bob replied to your tweet"]);
    const shown = tweetsOn(text);
    expect(shown.map((one) => one.text)).toEqual([
      "thanks @ann @Ann @nobody_here",
      "I do, @ann and @cat",
    ]);
    expect(text).toContain(`href="/tweets/${answer}#reply"`);
    await cat.post(`/tweets/${answer}/delete`).expect(403);
  });

  it("undoing an action takes its notification back", async () => {
    const [bob, cat] = others as [Visitor, Visitor];
    const tweet = await say(ann, "Undo this");
    const before = await look();
    await bob.post(`/tweets/${tweet}/like`).expect(303);
    await bob.post(`/tweets/${tweet}/retweet`).expect(303);
    const answer = await reply(cat, tweet, "hasty");
    const mention = await say(cat, "hasty too, @ann");
    await cat.follow("bob");
    expect(await badge()).toBe("4");
    expect(await badge(bob)).toBe("1");

    await bob.post(`/tweets/${tweet}/unlike`).expect(303);
    expect(await badge()).toBe("3");
    await bob.post(`/tweets/${tweet}/unretweet`).expect(303);
    expect(await badge()).toBe("2");
    for (const id of [answer, mention]) await cat.post(`/tweets/${id}/delete`).expect(303);
    expect(await badge()).toBeUndefined();
    await cat.unfollow("bob");
    expect(await badge(bob)).toBeUndefined();
    expect(await look()).toEqual(before);
  });

  it("deleting a tweet removes its notifications", async () => {
    const [bob] = others as [Visitor];
    const before = await look();
    const tweet = await say(ann, "Gone soon");
    await bob.post(`/tweets/${tweet}/like`).expect(303);
    expect(await badge()).toBe("1");
    await ann.post(`/tweets/${tweet}/delete`).expect(303);
    expect(await badge()).toBeUndefined();
    expect(await look()).toEqual(before);
  });

  it("muted and blocked users cause no notifications, before or after", async () => {
    const [, , dan, eve] = others as [Visitor, Visitor, Visitor, Visitor];
    const tweet = await say(ann, "Hush");
    const before = await look();
    await dan.post(`/tweets/${tweet}/like`).expect(303);
    await reply(eve, tweet, "loud");
    expect(await badge()).toBe("2");

    const annId = await idOf("ann");
    const { redis } = world.ctx;
    await redis.zadd(keys.mutes(annId), 1, await idOf("dan"));
    await redis.zadd(keys.blockedBy(annId), 1, await idOf("eve"));
    expect(await badge()).toBeUndefined();
    await dan.post(`/tweets/${tweet}/retweet`).expect(303);
    await say(dan, "psst, @ann");
    await eve.follow("ann");
    await world.delivered();
    expect(await badge()).toBeUndefined();
    const told = await look();
    expect(told.map(({ sentence }) => sentence).join()).not.toMatch(/dan|eve/);
    expect(told.length).toBeLessThanOrEqual(before.length);

    for (const key of [keys.mutes(annId), keys.blockedBy(annId)]) await redis.del(key);
  });

  it("running notification jobs again changes nothing", async () => {
    const [bob, cat] = others as [Visitor, Visitor];
    const tweet = (await say(ann, "Twice?")) as TweetId;
    await bob.post(`/tweets/${tweet}/like`).expect(303);
    await bob.post(`/tweets/${tweet}/retweet`).expect(303);
    const answer = (await reply(cat, tweet, "twice!")) as TweetId;
    const [annId, bobId, catId] = [await idOf("ann"), await idOf("bob"), await idOf("cat")];
    const told = () => world.ctx.redis.zrange(keys.notifications(annId), 0, "-1", "WITHSCORES");
    const once = await told();
    for (let time = 0; time < 2; time += 1) {
      world.pass(5000);
      await deliverAll(world.ctx, answer);
      await reconcileLike(world.ctx, { user: bobId, tweet });
      await reconcileRetweet(world.ctx, { user: bobId, tweet });
      await reconcileFollow(world.ctx, { follower: catId, followee: annId });
    }
    expect(await told()).toEqual(once);
  });
});
