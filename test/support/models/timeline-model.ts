import type { Ctx } from "../../../src/context.ts";
import { NotFound } from "../../../src/domain/errors.ts";
import { isFollowing } from "../../../src/domain/graph/follows.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { follow, unfollow, reconcileFollow } from "../../../src/domain/actions/follow.ts";
import { fanOut } from "../../../src/domain/timelines/fan-out.ts";
import { prepareHome } from "../../../src/domain/timelines/home.ts";
import { addToTimelines } from "../../../src/domain/timelines/store.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { deliverTweet } from "../../../src/domain/actions/deliver-tweet.ts";
import { reconcileRetweet, unretweet } from "../../../src/domain/actions/retweet.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { toTimelineTweet } from "../../../src/domain/tweets/tweet.ts";
import { keys } from "../../../src/redis/keys.ts";
import { expireHome, newPeople, readHomeIds } from "../actors/people.ts";
import { crowd, type Step } from "./timeline-steps.ts";
import { type WrittenTweet, WrittenTweets } from "./written-tweets.ts";

/** Runs steps, and computes without any cache what each home must show. */
export class TimelineModel {
  readonly people: UserId[] = [];
  readonly writings = new WrittenTweets();
  readonly follows = new Set<string>();
  private readonly ctx: Ctx;

  private constructor(ctx: Ctx) {
    this.ctx = ctx;
  }

  static async begin(ctx: Ctx): Promise<TimelineModel> {
    const story = new TimelineModel(ctx);
    await ctx.redis.del(keys.bigTimeline);
    story.people.push(...(await newPeople(ctx, crowd)));
    return story;
  }

  async happen(step: Step): Promise<void> {
    if ("user" in step) await this.visit(step.does, this.person(step.user));
    else if ("follower" in step) await this.turn(step.does, step);
    else if (step.does === "post") await this.post(step);
    else {
      const { tweets } = this.writings;
      const tweet = tweets[step.tweet % Math.max(1, tweets.length)];
      if (tweet === undefined) return;
      if (step.does === "reply") await this.reply(tweet, step);
      else if ("author" in step) await this.turnRetweet(step.does, this.person(step.author), tweet);
      else await this.rework(step.does, tweet);
    }
  }

  /** Finishes all deliveries. */
  async deliverRest(): Promise<void> {
    for (const tweet of this.writings.tweets)
      if (tweet.progress !== undefined) await this.deliver(tweet);
  }

  /** Runs the jobs of all follows and retweets. */
  async reconcileAll(): Promise<void> {
    for (const edge of this.allEdges()) await reconcileFollow(this.ctx, edge);
    for (const user of this.people)
      for (const { id, original } of this.writings.tweets)
        if (original === undefined) await reconcileRetweet(this.ctx, { user, tweet: id });
  }

  /** Reads from Redis which of two opposite, simultaneous actions came last. */
  async readTruth(): Promise<void> {
    await this.writings.readRetweets(this.ctx, this.people);
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

  /** All entries of a user's home timeline, and those that are shown. */
  expected(user: UserId): { entries: TweetId[]; shown: TweetId[] } {
    return this.writings.homeOf(user, (author) => this.follows.has(`${user} ${author}`));
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
    if (does === "settle") await reconcileFollow(this.ctx, edge);
    else if (does === "follow") await follow(this.ctx, edge);
    else await unfollow(this.ctx, edge);
    if (does === "follow") this.follows.add(`${follower} ${followee}`);
    if (does === "unfollow") this.follows.delete(`${follower} ${followee}`);
  }

  private async post({ author, count, delivery: how }: Step & { does: "post" }): Promise<void> {
    for (let nth = 0; nth < count; nth += 1)
      await this.bring(await this.writings.post(this.ctx, this.person(author)), how);
  }

  private async reply(to: WrittenTweet, step: Step & { does: "reply" }): Promise<void> {
    await this.bring(
      await this.writings.post(this.ctx, this.person(step.author), to),
      step.delivery,
    );
  }

  private async bring(
    tweet: WrittenTweet | undefined,
    how: "whole" | "begun" | "promised",
  ): Promise<void> {
    if (tweet === undefined) return;
    if (how === "whole") await this.deliver(tweet);
    if (how === "begun") await this.beginDelivery(tweet);
  }

  private async turnRetweet(
    does: "retweet" | "unretweet" | "reconcileRetweet",
    user: UserId,
    tweet: WrittenTweet,
  ): Promise<void> {
    const original = tweet.original ?? tweet;
    if (does === "retweet") await this.writings.retweet(this.ctx, user, tweet);
    else if (does === "reconcileRetweet")
      await reconcileRetweet(this.ctx, { user, tweet: original.id });
    else {
      const standing = await this.writings.findRetweet(this.ctx, user, original);
      if (standing !== undefined) standing.deleted = true;
      await unretweet(this.ctx, user, tweet.id);
    }
  }

  private async rework(does: "deliver" | "delete", tweet: WrittenTweet): Promise<void> {
    if (does === "deliver") await this.deliver(tweet);
    else if (!tweet.deleted) {
      tweet.deleted = true;
      // The retweet may have been taken back meanwhile.
      await deleteTweet(this.ctx, tweet.author, tweet.id).catch((error: unknown) => {
        if (!(error instanceof NotFound) || tweet.original === undefined) throw error;
      });
    }
  }

  private async deliver(tweet: WrittenTweet): Promise<void> {
    await deliverTweet(this.ctx, tweet.id, { done: tweet.progress ?? 0, save: async () => {} });
    tweet.progress = undefined;
  }

  /** A delivery whose worker dies after the first page of followers. */
  private async beginDelivery({ id }: WrittenTweet): Promise<void> {
    const tweet = await getTweet(this.ctx, id);
    const placed = toTimelineTweet(tweet);
    await addToTimelines(this.ctx, placed);
    const written = this.writings.tweets.find((one) => one.id === id);
    const progress = await fanOut(this.ctx, placed, { done: 0, save: async () => {} }, 1);
    if (written !== undefined) written.progress = progress;
  }
}
