import * as fc from "fast-check";
import { expect } from "vitest";
import type { Ctx, Jobs } from "../../../src/context.ts";
import { Invalid, NotFound } from "../../../src/domain/errors.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { likeTweet, unlikeTweet } from "../../../src/domain/actions/like.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet, unretweet } from "../../../src/domain/actions/retweet.ts";
import { runChore } from "../../../src/jobs/workers.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { Ended, endingAfter } from "../../support/world/ending-process.ts";
import { deliverAll, newPeople } from "../../support/actors/people.ts";

/** An action on a tweet. Users and tweets are given by number, modulo their count. */
export interface Deed {
  does: "like" | "unlike" | "retweet" | "unretweet" | "reply" | "delete" | "keep";
  user: number;
  tweet: number;
  twice: boolean;
  /** Number of commands after which the process ends. */
  ends: number | undefined;
}

const deeds = fc.record<Deed>({
  does: fc.constantFrom(
    ...(["like", "like", "unlike", "retweet", "retweet", "retweet", "unretweet"] as const),
    ...(["unretweet", "reply", "delete", "keep"] as const),
  ),
  user: fc.nat({ max: 2 }),
  tweet: fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 1 }) }, fc.nat({ max: 9 })),
  twice: fc.boolean(),
  ends: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, fc.nat({ max: 24 })),
});

/** Groups of simultaneous steps. */
export const concurrentSteps = fc.array(fc.array(deeds, { minLength: 1, maxLength: 4 }), {
  maxLength: 8,
});

const verbs = { like: likeTweet, unlike: unlikeTweet, retweet, unretweet };

type Promised = (ctx: Ctx) => Promise<void>;

/** Runs steps on tweets, and knows the expected result. */
export class ReactionsModel {
  readonly people: UserId[];
  /** The first tweets and the replies whose delivery was promised. */
  readonly tweets: { id: TweetId; author: UserId; replyTo: TweetId | undefined }[] = [];
  /** Whether "like user tweet" or "retweet user tweet" holds; absent if both outcomes are possible. */
  readonly known = new Map<string, boolean>();
  readonly deleted = new Set<TweetId>();
  private readonly promised = new Map<string, Promised>();
  private readonly delivered = new Set<string>();
  private readonly ctx: Ctx;

  private constructor(ctx: Ctx, people: UserId[]) {
    this.ctx = { ...ctx, jobs: { ...ctx.jobs, ...this.remembering() } };
    this.people = people;
  }

  static async begin(ctx: Ctx): Promise<ReactionsModel> {
    const story = new ReactionsModel(ctx, await newPeople(ctx, 3));
    for (const author of story.people.slice(0, 2))
      await postTweet(story.ctx, author, { text: "…" });
    await story.learn();
    return story;
  }

  async happen(together: Deed[]): Promise<void> {
    const meant = together.map((deed) => ({
      ...deed,
      user: at(this.people, deed.user),
      tweet: at(this.tweets, deed.tweet),
    }));
    const done = await Promise.all(
      meant.map(async (deed) => ({ ...deed, isDone: await this.tryOut(deed) })),
    );
    const topics = new Map<string, boolean[]>();
    for (const { does, user, tweet, isDone } of done) {
      if (does === "delete" && isDone) this.deleted.add(tweet.id);
      if (does === "reply" || does === "delete" || does === "keep") continue;
      const topic = `${does.replace("un", "")} ${user} ${tweet.id}`;
      const outcomes = topics.get(topic) ?? [];
      topics.set(topic, outcomes);
      outcomes.push(!does.startsWith("un"));
      if (!isDone) outcomes.push(does.startsWith("un"));
    }
    for (const [topic, outcomes] of topics) {
      const [outcome] = outcomes;
      if (outcome !== undefined && new Set(outcomes).size === 1) this.known.set(topic, outcome);
      else this.known.delete(topic);
    }
    await this.learn();
  }

  /** Runs all promised jobs, optionally twice. */
  async keepAll(twice: boolean): Promise<void> {
    while (this.promised.size > 0) await this.keep(this.ctx, twice);
    await this.learn();
  }

  /** True if it was done. Otherwise it was refused or the process ended: both outcomes are possible. */
  private async tryOut(deed: {
    does: Deed["does"];
    user: UserId;
    tweet: { id: TweetId; author: UserId };
    twice: boolean;
    ends: number | undefined;
  }): Promise<boolean> {
    const { twice, ends } = deed;
    if (ends === undefined) {
      const runs = Array.from({ length: twice ? 2 : 1 }, () => this.run(this.ctx, deed));
      const done = await Promise.all(runs);
      return done.every(Boolean) || (deed.does === "delete" && done.some(Boolean));
    }
    const isDone = await this.run(endingAfter(this.ctx, ends), deed);
    return twice ? await this.run(this.ctx, deed) : isDone;
  }

  private async run(
    ctx: Ctx,
    deed: { does: Deed["does"]; user: UserId; tweet: { id: TweetId; author: UserId } },
  ): Promise<boolean> {
    const { does, user, tweet } = deed;
    try {
      if (does === "keep") await this.keep(ctx, false);
      else if (does === "delete") await deleteTweet(ctx, tweet.author, tweet.id);
      else if (does === "reply") await postTweet(ctx, user, { text: "so?", replyTo: tweet.id });
      else await verbs[does](ctx, user, tweet.id);
      return true;
    } catch (error) {
      if (error instanceof Ended || error instanceof NotFound || error instanceof Invalid)
        return false;
      throw error;
    }
  }

  /** Runs the promised jobs; failed ones stay. */
  private async keep(ctx: Ctx, twice: boolean): Promise<void> {
    for (const [name, work] of this.promised) {
      this.promised.delete(name);
      try {
        await work(ctx);
        if (twice) await work(ctx);
      } catch (error) {
        this.promised.set(name, work);
        throw error;
      }
    }
  }

  /** As the queues do: a delivery runs once, other jobs as often as promised. */
  private remembering(): Partial<Jobs> {
    let count = 0;
    const add = async (work: Promised) => void this.promised.set(`job ${(count += 1)}`, work);
    return {
      chore: (name, data) => add((ctx) => runChore(ctx, name, data)),
      deliverTweet: async (tweet) => {
        if (this.delivered.has(tweet)) return;
        this.delivered.add(tweet);
        await add((ctx) => deliverAll(ctx, tweet));
      },
    };
  }

  /** Adds tweets whose delivery was promised: they were posted. */
  private async learn(): Promise<void> {
    for (const name of this.delivered) {
      if (this.tweets.some(({ id }) => id === name)) continue;
      const tweet = await getTweet(this.ctx, name as TweetId).catch(() => undefined);
      if (tweet === undefined || tweet.retweetOf !== undefined) continue;
      const { id, author, replyTo } = tweet;
      this.tweets.push({ id, author, replyTo: replyTo?.tweet });
    }
    expect(this.tweets.length).toBeGreaterThan(1);
  }
}

function at<Item>(items: Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error("a story without any");
  return item;
}
