import type { Ctx } from "../../src/context.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { likeTweet } from "../../src/domain/actions/like.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../src/domain/actions/retweet.ts";
import { type TweetId, tweetId, type UserId } from "../../src/domain/ids.ts";
import type { Queues } from "../../src/jobs/queue.ts";
import { keys } from "../../src/redis/keys.ts";
import { parseStatusId } from "../../src/web/api/ids.ts";
import type { Lab } from "../bench/lab.ts";
import type { Arrivals } from "./arrivals.ts";
import type { Answer, Browser } from "./browser.ts";
import type { Identities } from "./identities.ts";
import { bigTweetAt, type Step } from "./plan.ts";
import { Ranks } from "./random.ts";
import type { Tally } from "./tally.ts";
import { celebrity, popularity, type Town } from "./town.ts";

export interface Scene {
  /** With the clock of the day and real promises of work. */
  lab: Lab;
  queues: Queues;
  town: Town;
  /** By number. */
  ids: UserId[];
  identities: Identities;
  browser: Browser;
  tally: Tally;
  arrivals: Arrivals;
  texts: string[];
  /** Of all tweets, those that are posted by an app and followed to the last home timeline. */
  watchedShare: number;
}

/** After a page: up to this luck a person likes a tweet on it, and so on; the others leave. */
const acts = { like: 0.25, retweet: 0.3, reply: 0.38, follow: 0.4, look: 0.65 };
/** Tweets of a page that people react to. */
const seen = 10;

/** What the people of a town do: pages and apps ask the web processes, forms are the verbs behind them. */
export class People {
  /** A tweet that somebody has just seen. */
  lastSeen: string | undefined;
  readonly #scene: Scene;
  readonly #ctx: Ctx;
  readonly #ranks: Ranks;
  #bigTweet: TweetId | undefined;
  #written = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#ctx = scene.lab.ctx;
    this.#ranks = new Ranks(scene.town.people, popularity);
  }

  async visit({ person, luck }: Step): Promise<void> {
    const page = await this.#open(person, "/");
    const user = this.#id(person);
    const finer = (luck * 1000) % 1;
    const { tally } = this.#scene;
    if (luck >= acts.look) return;
    const shown = [...page.text().matchAll(/data-tweet-id="(\d+)"/g)].slice(0, seen);
    const tweet = shown[Math.floor(finer * shown.length)]?.[1];
    if (tweet === undefined) return;
    this.lastSeen = tweet;
    if (luck < acts.like) {
      await likeTweet(this.#ctx, user, tweetId(tweet));
      tally.count("likes");
    } else if (luck < acts.retweet) {
      await retweet(this.#ctx, user, tweetId(tweet));
      tally.count("retweets");
    } else if (luck < acts.reply) {
      await postTweet(this.#ctx, user, { text: this.#text(), replyTo: tweetId(tweet) });
      tally.count("replies");
    } else if (luck < acts.follow) {
      const followee = this.#id(this.#ranks.draw(finer));
      if (followee !== user) await follow(this.#ctx, { follower: user, followee });
      tally.count("follows");
    } else await this.#look(person, finer, tweet);
  }

  /** Because of the celebrity's tweet. */
  async burst({ person, luck }: Step): Promise<void> {
    await this.#open(person, "/");
    const [user, tweet] = [this.#id(person), this.#bigTweet];
    if (tweet === undefined) return;
    const { tally } = this.#scene;
    if (luck < 0.5) {
      await likeTweet(this.#ctx, user, tweet);
      tally.count("likes");
    } else if (luck < 0.6) {
      await retweet(this.#ctx, user, tweet);
      tally.count("retweets");
    } else if (luck < 0.7) {
      await postTweet(this.#ctx, user, { text: this.#text(), replyTo: tweet });
      tally.count("replies");
    }
  }

  /** After more than a month: the home timeline has expired, and the first page makes it anew. */
  async return({ person }: Step): Promise<void> {
    const home = keys.homeTimeline(this.#id(person));
    const { redis } = this.#ctx;
    const isAbsent = (await redis.exists(home)) === 0;
    const { took } = await this.#open(person, "/");
    if (!isAbsent || (await redis.exists(home)) === 0) return;
    this.#scene.tally.count("rebuilt");
    this.#scene.tally.time("rebuild", took);
  }

  async post({ person, luck, at }: Step): Promise<void> {
    const { town, tally, arrivals, watchedShare } = this.#scene;
    const last = town.lastFollower[person] ?? -1;
    const isWatched = luck < watchedShare && !arrivals.isFull;
    if (last === -1 || !(isWatched || person === celebrity))
      await postTweet(this.#ctx, this.#id(person), { text: this.#text() });
    else {
      const tweet = await this.#postByApp(person, at, this.#id(last));
      if (person === celebrity && at >= bigTweetAt) this.#bigTweet = tweet;
    }
    tally.count("tweets");
  }

  async poll({ person }: Step): Promise<void> {
    const { browser, identities, tally } = this.#scene;
    const token = await identities.token(person);
    const { status, took } = await browser.get("/api/v1/timelines/home", token);
    tally.count(status === 200 ? "polls" : `poll answered ${status}`);
    tally.time("poll", took);
  }

  async #postByApp(person: number, at: number, last: UserId): Promise<TweetId | undefined> {
    const { browser, identities, tally, arrivals } = this.#scene;
    const token = await identities.token(person);
    const began = performance.now();
    const answer = await browser.postJson("/api/v1/statuses", { status: this.#text() }, token);
    if (answer.status !== 200) {
      tally.count(`post answered ${answer.status}`);
      return undefined;
    }
    const { id } = JSON.parse(answer.text()) as { id: string };
    const tweet = parseStatusId(id)?.id;
    if (tweet === undefined) throw new Error(`${id} is no id`);
    arrivals.watch({ tweet, last, began, at });
    return tweet;
  }

  async #open(person: number, path: string): Promise<Answer> {
    const { browser, identities, tally } = this.#scene;
    const cookie = await identities.cookie(person);
    const first = await browser.get(path, cookie);
    // A retweet has no page of its own.
    const isElsewhere = first.status === 303 && first.location.startsWith("/tweets/");
    const answer = isElsewhere ? await browser.get(first.location, cookie) : first;
    tally.count(answer.status === 200 ? "pages" : `page answered ${answer.status}`);
    tally.time("page", answer.took);
    return answer;
  }

  async #look(person: number, finer: number, tweet: string): Promise<void> {
    const { town, texts } = this.#scene;
    const word = texts[Math.floor(finer * texts.length)]?.split(" ")[1] ?? "sparrow";
    if (finer < 0.4) await this.#open(person, `/tweets/${tweet}`);
    else if (finer < 0.7) await this.#open(person, `/@person_${Math.floor(finer * town.people)}`);
    else if (finer < 0.9) await this.#open(person, "/notifications");
    else await this.#open(person, `/search?q=${encodeURIComponent(word)}`);
  }

  #id(person: number): UserId {
    return this.#scene.ids[person] as UserId;
  }

  #text(): string {
    const { texts } = this.#scene;
    return texts[this.#written++ % texts.length] ?? "";
  }
}
