import type { Ctx } from "../../../src/context.ts";
import { countFollowers } from "../../../src/domain/graph/follows.ts";
import { type TweetId, tweetId, type UserId, userId, type Stamp } from "../../../src/domain/ids.ts";
import { addToBigTimeline } from "../../../src/domain/timelines/big.ts";
import { fanOut } from "../../../src/domain/timelines/fan-out.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { prepareHome, rebuildHome } from "../../../src/domain/timelines/home.ts";
import { addToTimelines } from "../../../src/domain/timelines/store.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { deliverTweet, spreadTweet } from "../../../src/domain/actions/deliver-tweet.ts";
import { unretweet } from "../../../src/domain/actions/retweet.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { toTimelineTweet } from "../../../src/domain/tweets/tweet.ts";
import { keys } from "../../../src/redis/keys.ts";
import {
  authorCount,
  type BigStep,
  type Delivery,
  extraCount,
  type Happening,
  readerCount,
} from "./big-accounts-steps.ts";
import { expireHome, newPeople, readHomeIds } from "../../support/actors/people.ts";
import {
  refusedIf,
  type WrittenTweet,
  WrittenTweets,
} from "../../support/models/written-tweets.ts";

/** More than the timeline of big accounts keeps. */
const floodSize = 10_000;
const noMark = async () => {};

/** Runs steps in two processes, and computes without any timeline what each user must see. */
export class BigAccountsModel {
  readonly readers: UserId[];
  readonly writings = new WrittenTweets();
  private readonly people: UserId[];
  private readonly extras: UserId[];
  private readonly follows = new Set<string>();
  private readonly here: Ctx;
  private readonly there: Ctx;

  private constructor(here: Ctx, there: Ctx, people: UserId[]) {
    this.here = here;
    this.there = there;
    this.people = people.slice(0, authorCount + readerCount);
    this.readers = this.people.slice(authorCount);
    this.extras = people.slice(authorCount + readerCount);
  }

  /** The first author is a big account that all readers follow; the steps decide the rest. */
  static async begin(here: Ctx, there: Ctx): Promise<BigAccountsModel> {
    await here.redis.del(keys.bigTimeline);
    const people = await newPeople(here, authorCount + readerCount + extraCount);
    const story = new BigAccountsModel(here, there, people);
    await story.happen({ does: "grow", author: 0, there: false });
    for (let reader = 0; reader < readerCount; reader += 1)
      await story.happen({ does: "follow", reader, author: 0, there: false });
    return story;
  }

  async happen(step: BigStep): Promise<void> {
    const ctx = step.there ? this.there : this.here;
    if (step.does === "post") await this.post(ctx, step);
    else if (step.does === "grow" || step.does === "shrink") await this.crowd(ctx, step);
    else if (step.does === "follow" || step.does === "unfollow") await this.turn(ctx, step);
    else if ("reader" in step) await this.visit(ctx, step.does, at(this.readers, step.reader));
    else if ("tweet" in step && this.writings.tweets.length > 0) {
      const tweet = at(this.writings.tweets, step.tweet);
      if ("author" in step) await this.respond(ctx, step, tweet);
      else await this.rework(ctx, step.does, tweet);
    }
  }

  /** Finishes all deliveries. */
  async deliverRest(): Promise<void> {
    for (const tweet of this.writings.tweets) await this.deliver(this.here, tweet);
  }

  /** All entries of a user's home timeline, and those that are shown. */
  expected(user: UserId): { entries: TweetId[]; shown: TweetId[] } {
    return this.writings.homeOf(user, (author) => this.follows.has(`${user} ${author}`));
  }

  private async post(ctx: Ctx, step: Happening & { does: "post" }): Promise<void> {
    const author = at(this.people, step.author);
    for (let nth = 0; nth < step.count; nth += 1) {
      const tweet = await this.writings.post(ctx, author);
      if (tweet === undefined) throw new Error("a post was refused");
      await this.bring(ctx, tweet, step.delivery);
    }
  }

  private async respond(
    ctx: Ctx,
    step: Happening & { does: "reply" | "retweet" | "unretweet" },
    tweet: WrittenTweet,
  ): Promise<void> {
    const user = at(this.people, step.author);
    if (step.does === "unretweet") {
      const standing = await this.writings.findRetweet(ctx, user, tweet.original ?? tweet);
      if (standing !== undefined) standing.deleted = true;
      await unretweet(ctx, user, tweet.id);
      return;
    }
    const written =
      step.does === "reply"
        ? await this.writings.post(ctx, user, tweet)
        : await this.writings.retweet(ctx, user, tweet);
    if (written !== undefined) await this.bring(ctx, written, step.delivery);
  }

  private async bring(ctx: Ctx, tweet: WrittenTweet, how: Delivery): Promise<void> {
    if (how === "whole") await this.deliver(ctx, tweet);
    if (how === "begun") await this.beginDelivery(ctx, tweet);
  }

  /** A delivery whose worker dies after the first page of followers. */
  private async beginDelivery(ctx: Ctx, tweet: WrittenTweet): Promise<void> {
    if ((await countFollowers(ctx, tweet.author)) > ctx.config.bigAccountFollowers) return;
    const placed = toTimelineTweet(await getTweet(ctx, tweet.id));
    await addToTimelines(ctx, placed);
    tweet.progress = await fanOut(ctx, placed, { done: 0, save: noMark }, 1);
  }

  /** Extra followers come or leave, so that the author becomes a big account or a small one. */
  private async crowd(ctx: Ctx, step: Happening & { does: "grow" | "shrink" }): Promise<void> {
    const followee = at(this.people, step.author);
    const move = step.does === "grow" ? follow : unfollow;
    for (const follower of this.extras) await move(ctx, { follower, followee });
  }

  private async turn(ctx: Ctx, step: Happening & { does: "follow" | "unfollow" }): Promise<void> {
    const edge = {
      follower: at(this.readers, step.reader),
      followee: at(this.people, step.author),
    };
    if (edge.follower === edge.followee) return;
    const pair = `${edge.follower} ${edge.followee}`;
    if (step.does === "follow") {
      await follow(ctx, edge);
      this.follows.add(pair);
    } else {
      await unfollow(ctx, edge);
      this.follows.delete(pair);
    }
  }

  private async visit(ctx: Ctx, does: string, reader: UserId): Promise<void> {
    if (does === "expire") await expireHome(ctx, reader);
    else if (does === "return") await prepareHome(ctx, reader, "returning");
    else if (does === "rebuild") await rebuildHome(ctx, reader);
    else await readHomeIds(ctx, reader);
  }

  private async rework(ctx: Ctx, does: string, tweet: WrittenTweet): Promise<void> {
    if (does === "deliver") await this.deliver(ctx, tweet);
    else if (does === "flood") await floodBig(ctx, tweet.stamp);
    else if (does === "spread" && (tweet.progress ?? 0) > 0) {
      await spreadTweet(ctx, tweet.id, { done: tweet.progress ?? 0, save: noMark });
      tweet.progress = undefined;
    } else if (does === "delete" && !tweet.deleted) {
      // A retweet may have ended with its original.
      const isGone = () => tweet.original?.deleted === true;
      tweet.deleted = true;
      await refusedIf(isGone, deleteTweet(ctx, tweet.author, tweet.id));
    }
  }

  private async deliver(ctx: Ctx, tweet: WrittenTweet): Promise<void> {
    await deliverTweet(ctx, tweet.id, { done: tweet.progress ?? 0, save: noMark });
    tweet.progress = undefined;
  }
}

/** Fills the timeline of big accounts past its bound with tweets of an account without followers. */
export async function floodBig(ctx: Ctx, since: Stamp): Promise<void> {
  const stranger = 999_999;
  const members = Array.from({ length: floodSize }, (_, nth) => [
    since + 1 + nth,
    `${1_000_000 + nth}:${stranger}`,
  ]);
  await ctx.redis.zadd(keys.bigTimeline, ...members.flat());
  const last = { tweet: tweetId(2_000_000), author: userId(stranger), stamp: since + floodSize };
  await addToBigTimeline(ctx, last);
}

function at<Item>(items: Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error("a story without any");
  return item;
}
