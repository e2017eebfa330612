import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Blocked } from "../../../src/domain/errors.ts";
import {
  type TweetId,
  tweetId,
  type UserId,
  type Stamp,
  stampAt,
} from "../../../src/domain/ids.ts";
import type { Page } from "../../../src/domain/page.ts";
import { block, unblock } from "../../../src/domain/actions/block.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { globalFeed, homeFeed, userFeed } from "../../../src/domain/feeds/feeds.ts";
import type { FeedItem } from "../../../src/domain/feeds/types.ts";
import { createTweet } from "../../../src/domain/tweets/store.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import { findFeedItem } from "../../../src/domain/feeds/thread.ts";
import { mute, unmute } from "../../../src/domain/actions/mute.ts";
import { deleteFilter } from "../../../src/domain/graph/filters.ts";
import { mutedWordId, muteWord } from "../../../src/domain/graph/muted-words.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { deliverAll, getViewer, newPeople, readAll } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

type Kind = "follow" | "mute" | "block" | "word";
const kinds: Kind[] = ["follow", "mute", "block", "word"];
const said = ["a cat", "a dog", "concatenate"];

const act = fc.oneof(
  fc.record({
    does: fc.constantFrom(...kinds),
    undo: fc.boolean(),
    who: fc.nat(2),
    whom: fc.nat(2),
  }),
  fc.record({
    does: fc.constantFrom("say" as const, "retweet" as const, "quote" as const),
    who: fc.nat(2),
    text: fc.constantFrom(...said),
    which: fc.nat(5),
  }),
);

/** The naive model: relations and tweets. */
class Model {
  readonly tweets: Tweet[] = [];
  readonly facts = new Set<string>();

  set(kind: Kind, who: UserId, whom: UserId, undo: boolean): void {
    if (undo) this.facts.delete(`${kind} ${who} ${whom}`);
    else this.facts.add(`${kind} ${who} ${whom}`);
    if (kind !== "block" || undo) return;
    this.set("follow", who, whom, true);
    this.set("follow", whom, who, true);
  }

  is(kind: Kind, who: UserId, whom: UserId): boolean {
    return this.facts.has(`${kind} ${who} ${whom}`);
  }

  isBlocked(one: UserId, other: UserId): boolean {
    return this.is("block", one, other) || this.is("block", other, one);
  }

  find(id: TweetId | undefined): Tweet | undefined {
    return this.tweets.find((tweet) => tweet.id === id);
  }

  isHidden(viewer: UserId, { author, text }: Tweet, onPageOf?: UserId): boolean {
    if (author === viewer) return false;
    const isMuted = this.is("mute", viewer, author) && author !== onPageOf;
    const isQuiet = this.is("word", viewer, viewer) && text.split(" ").includes("cat");
    return this.isBlocked(viewer, author) || isMuted || isQuiet;
  }

  /** Tweet, retweet and quote of each item, newest first. */
  list(viewer: UserId, belongs: (tweet: Tweet) => boolean, onPageOf?: UserId): string[] {
    return this.tweets.filter(belongs).flatMap((tweet) => {
      const original = this.find(tweet.retweetOf?.tweet) ?? tweet;
      if (this.isHidden(viewer, tweet, onPageOf) || this.isHidden(viewer, original, onPageOf))
        return [];
      const quote = this.find(original.quoteOf?.tweet);
      const isShown = quote !== undefined && !this.isHidden(viewer, quote, onPageOf);
      return [spell(original, tweet === original ? undefined : tweet, isShown ? quote : undefined)];
    });
  }

  home(viewer: UserId): string[] {
    const items = this.list(
      viewer,
      ({ author }) => author === viewer || this.is("follow", viewer, author),
    );
    return items.filter((item, index) => {
      const older = items.slice(index + 1).map(originalOf);
      return !item.includes("by") || !older.includes(originalOf(item));
    });
  }
}

const originalOf = (item: string) => item.split(" ")[0];

function spell(tweet: Tweet, retweet: Tweet | undefined, quote: Tweet | undefined): string {
  const by = retweet === undefined ? "" : ` by ${retweet.id}`;
  return `${tweet.id}${by}${quote === undefined ? "" : ` with ${quote.id}`}`;
}

/** A list, read to its end. */
async function ids(
  read: (before: Stamp | undefined) => Promise<Page<FeedItem>>,
): Promise<string[]> {
  return (await readAll(read)).map(({ tweet, retweet, quote }) => spell(tweet, retweet, quote));
}

describe("tweet visibility", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a page is full although tweets of deleted accounts are still listed", async () => {
    const { ctx } = world;
    const [stays, leaves] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const model = new Model();
    for (let nth = 0; nth < 60; nth += 1) {
      await write(model, stays, { text: "stays" });
      if (nth % 3 === 0) await write(model, leaves, { text: "leaves" });
    }
    const quoted = model.tweets.find(({ author }) => author === leaves);
    const quoteOf = quoted && { tweet: quoted.id, author: leaves };
    await write(model, stays, { text: "quotes", quoteOf });
    await ctx.redis.hset(keys.user(leaves), "deleted_at", 1);
    await findUser(ctx, leaves);
    const { items } = await globalFeed(ctx, { viewer: undefined });
    expect(items).toHaveLength(50);
    expect(items.every(({ tweet }) => tweet.author === stays)).toBe(true);
    expect(items[0]?.quote).toBeUndefined();
    expect(await findFeedItem(ctx, undefined, quoted?.id as TweetId)).toBeUndefined();
  });

  async function write(model: Model, author: UserId, more: Partial<Tweet>): Promise<void> {
    const { ctx } = world;
    world.pass(5);
    const id = tweetId(await ctx.redis.incr(keys.tweetIds));
    const tweet = { id, author, text: "", createdAt: stampAt(ctx.now(), id), ...more };
    await createTweet(ctx, tweet);
    await deliverAll(ctx, id);
    model.tweets.unshift(tweet);
  }

  async function relate(model: Model, kind: Kind, who: UserId, whom: UserId, undo: boolean) {
    const { ctx } = world;
    if (kind === "follow") {
      const edge = { follower: who, followee: whom };
      if (undo) await unfollow(ctx, edge);
      else if (model.isBlocked(who, whom)) {
        const refusal = await follow(ctx, edge).catch((error: unknown) => error);
        if (!(refusal instanceof Blocked)) throw new Error("a follow across a block");
        return;
      } else await follow(ctx, edge);
    } else if (kind === "mute") await (undo ? unmute : mute)(ctx, { muter: who, muted: whom });
    else await (undo ? unblock : block)(ctx, { blocker: who, blocked: whom });
    model.set(kind, who, whom, undo);
  }

  it("every list shows what a naive model shows: home, profiles, public list and single tweets", async () => {
    const { ctx } = world;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
        await ctx.redis.del(keys.globalTimeline);
        const people = await newPeople(ctx, 3);
        const model = new Model();
        for (const one of acts) {
          const who = people[one.who] as UserId;
          if ("text" in one) {
            const named = model.tweets[one.which];
            const other = model.find(named?.retweetOf?.tweet) ?? named;
            const ref = other && { tweet: other.id, author: other.author };
            if (one.does === "retweet" && ref === undefined) continue;
            const more = one.does === "quote" ? { quoteOf: ref } : {};
            const isRetweet = one.does === "retweet";
            await write(model, who, isRetweet ? { retweetOf: ref } : { text: one.text, ...more });
          } else if (one.does === "word") {
            if (one.undo) await deleteFilter(ctx, who, mutedWordId("cat"));
            else await muteWord(ctx, who, { word: "Cat", days: 1 });
            model.set("word", who, who, one.undo);
          } else if (one.who !== one.whom)
            await relate(model, one.does, who, people[one.whom] as UserId, one.undo);
        }
        for (const id of people) {
          const viewer = await getViewer(ctx, id);
          expect(await ids((before) => homeFeed(ctx, viewer, { before }))).toEqual(model.home(id));
          expect(await ids((before) => globalFeed(ctx, { viewer, before }))).toEqual(
            model.list(id, (tweet) => tweet.retweetOf === undefined),
          );
          for (const author of people)
            expect(await ids((before) => userFeed(ctx, author, { viewer, before }))).toEqual(
              model.list(id, (tweet) => tweet.author === author, author),
            );
          for (const tweet of model.tweets) {
            const authors = [tweet.author, tweet.retweetOf?.author ?? tweet.author];
            const isSeen = authors.every((author) => !model.isBlocked(id, author));
            expect((await findFeedItem(ctx, viewer, tweet.id)) !== undefined).toBe(isSeen);
          }
        }
        const everything = await ids((before) => globalFeed(ctx, { viewer: undefined, before }));
        expect(everything).toHaveLength(
          model.tweets.filter((tweet) => tweet.retweetOf === undefined).length,
        );
      }),
      runs(60, 30_000),
    );
  }, 60_000);
});
