import * as fc from "fast-check";
import type { Ctx } from "../../src/context.ts";
import { isFollowing } from "../../src/domain/follows/store.ts";
import type { TweetId, UserId } from "../../src/domain/ids.ts";
import type { Stamp } from "../../src/domain/stamp.ts";
import { follow, settleFollow, unfollow } from "../../src/domain/timelines/follow.ts";
import { fanOut } from "../../src/domain/timelines/fan-out.ts";
import { prepareHome } from "../../src/domain/timelines/home.ts";
import { placeTweet } from "../../src/domain/timelines/store.ts";
import { deleteTweet } from "../../src/domain/tweets/delete.ts";
import { deliverTweet } from "../../src/domain/tweets/deliver.ts";
import { postTweet } from "../../src/domain/tweets/post.ts";
import { getTweet } from "../../src/domain/tweets/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { expireHome, newPeople, readHomeIds } from "./people.ts";

/** One thing that happens to home timelines. People and tweets are meant by number, round and round. */
export type Step =
  | { does: "post"; author: number; count: number; delivery: "whole" | "begun" | "promised" }
  | { does: "deliver" | "delete"; tweet: number }
  | { does: "follow" | "unfollow" | "settle"; follower: number; followee: number }
  | { does: "expire" | "return" | "look"; user: number };

const crowd = 5;
const who = fc.integer({ min: 0, max: crowd - 1 });
const which = fc.nat({ max: 40 });

const edges = (does: "follow" | "unfollow" | "settle") =>
  fc.record({ does: fc.constant(does), follower: who, followee: who });
const visits = (does: "expire" | "return" | "look") =>
  fc.record({ does: fc.constant(does), user: who });
const reworks = (does: "deliver" | "delete") =>
  fc.record({ does: fc.constant(does), tweet: which });
const posts = fc.record({
  does: fc.constant("post" as const),
  author: who,
  count: fc.integer({ min: 1, max: 7 }),
  delivery: fc.constantFrom("whole" as const, "begun" as const, "promised" as const),
});

/** What may happen at the same moment as anything else. */
const concurrent = [
  { weight: 6, arbitrary: posts },
  { weight: 6, arbitrary: edges("follow") },
  { weight: 3, arbitrary: edges("unfollow") },
  { weight: 1, arbitrary: edges("settle") },
  { weight: 3, arbitrary: reworks("deliver") },
  { weight: 2, arbitrary: reworks("delete") },
  { weight: 2, arbitrary: visits("return") },
  { weight: 3, arbitrary: visits("look") },
];
/** A timeline expires after weeks without a look at it, so never during one. */
const lonely = { weight: 3, arbitrary: visits("expire") };

export const steps = fc.array(fc.oneof(...concurrent, lonely), { maxLength: 40 });
export const moments = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.array(fc.oneof(...concurrent), { minLength: 2, maxLength: 6 }) },
    { weight: 1, arbitrary: visits("expire").map((step) => [step]) },
  ),
  { maxLength: 8 },
);

interface Written {
  id: TweetId;
  author: UserId;
  stamp: Stamp;
  deleted: boolean;
  /** How far its delivery got; undefined once that is complete. */
  progress: Stamp | undefined;
}

/** Makes things happen, and knows without any cache what everybody's home must show. */
export class TimelineStory {
  readonly people: UserId[] = [];
  readonly tweets: Written[] = [];
  readonly follows = new Set<string>();
  private readonly ctx: Ctx;

  private constructor(ctx: Ctx) {
    this.ctx = ctx;
  }

  static async begin(ctx: Ctx): Promise<TimelineStory> {
    const story = new TimelineStory(ctx);
    await ctx.redis.del(keys.bigTimeline);
    story.people.push(...(await newPeople(ctx, crowd)));
    return story;
  }

  async happen(step: Step): Promise<void> {
    if ("user" in step) await this.visit(step.does, this.person(step.user));
    else if ("follower" in step) await this.turn(step.does, step);
    else if (step.does === "post") await this.post(step);
    else await this.rework(step.does, this.tweets[step.tweet % Math.max(1, this.tweets.length)]);
  }

  /** Every promise of a delivery is kept in the end. */
  async deliverRest(): Promise<void> {
    for (const tweet of this.tweets) if (tweet.progress !== undefined) await this.deliver(tweet);
  }

  /** So is every promise about a follow. */
  async settleAll(): Promise<void> {
    for (const edge of this.allEdges()) await settleFollow(this.ctx, edge);
  }

  /** Of a follow and an unfollow at the same moment, Redis knows which came last. */
  async readFollows(): Promise<void> {
    this.follows.clear();
    for (const edge of this.allEdges())
      if ((await isFollowing(this.ctx, edge)) !== undefined)
        this.follows.add(`${edge.follower} ${edge.followee}`);
  }

  allEdges(): { follower: UserId; followee: UserId }[] {
    return this.people.flatMap((follower) =>
      this.people
        .filter((followee) => followee !== follower)
        .map((followee) => ({ follower, followee })),
    );
  }

  expectedHome(user: UserId): TweetId[] {
    return this.tweets
      .filter((tweet) => !tweet.deleted && this.shows(user, tweet.author))
      .toSorted((one, other) => other.stamp - one.stamp)
      .map((tweet) => tweet.id);
  }

  private shows(user: UserId, author: UserId): boolean {
    return user === author || this.follows.has(`${user} ${author}`);
  }

  private person(number: number): UserId {
    const person = this.people[number % this.people.length];
    if (person === undefined) throw new Error("a story without people");
    return person;
  }

  private async visit(does: "expire" | "return" | "look", user: UserId): Promise<void> {
    if (does === "expire") await expireHome(this.ctx, user);
    else if (does === "return") await prepareHome(this.ctx, user, "returning");
    else await readHomeIds(this.ctx, user);
  }

  private async turn(
    does: "follow" | "unfollow" | "settle",
    numbers: { follower: number; followee: number },
  ): Promise<void> {
    const follower = this.person(numbers.follower);
    const followee = this.person(numbers.followee);
    if (follower === followee) return;
    const edge = { follower, followee };
    if (does === "settle") await settleFollow(this.ctx, edge);
    else if (does === "follow") await follow(this.ctx, edge);
    else await unfollow(this.ctx, edge);
    if (does === "follow") this.follows.add(`${follower} ${followee}`);
    if (does === "unfollow") this.follows.delete(`${follower} ${followee}`);
  }

  private async post({ author, count, delivery }: Step & { does: "post" }): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) {
      const id = await postTweet(this.ctx, this.person(author), { text: `number ${nth}` });
      const { createdAt: stamp } = await getTweet(this.ctx, id);
      const tweet = { id, author: this.person(author), stamp, deleted: false, progress: 0 };
      this.tweets.push(tweet);
      if (delivery === "whole") await this.deliver(tweet);
      if (delivery === "begun") await this.beginDelivery(tweet);
    }
  }

  private async rework(does: "deliver" | "delete", tweet: Written | undefined): Promise<void> {
    if (tweet === undefined) return;
    if (does === "deliver") await this.deliver(tweet);
    else if (!tweet.deleted) {
      tweet.deleted = true;
      await deleteTweet(this.ctx, tweet.author, tweet.id);
    }
  }

  private async deliver(tweet: Written): Promise<void> {
    await deliverTweet(this.ctx, tweet.id, { done: tweet.progress ?? 0, save: async () => {} });
    tweet.progress = undefined;
  }

  /** The worker dies when it has delivered the first page of followers. */
  private async beginDelivery(tweet: Written): Promise<void> {
    const placed = { tweet: tweet.id, author: tweet.author, stamp: tweet.stamp };
    await placeTweet(this.ctx, placed);
    tweet.progress = await fanOut(this.ctx, placed, { done: 0, save: async () => {} }, 1);
  }
}
