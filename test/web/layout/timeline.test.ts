import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { repliesFeed } from "../../../src/domain/feeds/feeds.ts";
import type { FeedItem } from "../../../src/domain/feeds/types.ts";
import { likeTweet, unlikeTweet } from "../../../src/domain/actions/like.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet, unretweet } from "../../../src/domain/actions/retweet.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { editProfile } from "../../../src/domain/users/settings.ts";
import { keys } from "../../../src/redis/keys.ts";
import { presentTimeline } from "../../../src/web/layout/timeline.ts";
import { newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { readerAs } from "../../support/actors/english-reader.ts";
import { runs } from "../../support/models/property-runs.ts";

const acts = ["like", "unlike", "retweet", "unretweet", "block", "unblock", "rename"] as const;
const deeds = fc.record({
  does: fc.constantFrom(...acts, "quote", "reply", "pass", "delete"),
  who: fc.nat({ max: 2 }),
  what: fc.nat({ max: 11 }),
});

describe("kept tweets in lists", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("kept tweets in lists look as if rendered for each viewer alone, whatever happened", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deeds, { maxLength: 25, size: "max" }), async (happened) => {
        const people = await newPeople(world.ctx, 3);
        const tweets: TweetId[] = [];
        for (const author of people) tweets.push(await postTweet(world.ctx, author, { text: "…" }));
        for (const { does, who, what } of happened) {
          const user = at(people, who);
          const other = at(people, who + 1 + (what % 2));
          const tweet = at(tweets, what);
          const now = { like: likeTweet, unlike: unlikeTweet, retweet, unretweet };
          if (does in now) await tried(now[does as keyof typeof now](world.ctx, user, tweet));
          if (does === "quote" || does === "reply") {
            const aim = does === "quote" ? { quoteOf: tweet } : { replyTo: tweet };
            await tried(
              postTweet(world.ctx, user, { text: "so", ...aim }).then((id) => tweets.push(id)),
            );
          }
          if (does === "pass") world.pass(what * 7 * 60_000);
          if (does === "rename") {
            const profile = { fullname: `Name ${what}`, bio: "", website: "" };
            await editProfile(world.ctx, (await findUser(world.ctx, user)) as User, profile);
          }
          if (does === "block") await world.ctx.redis.zadd(keys.blocks(user), 1, other);
          if (does === "unblock") await world.ctx.redis.zrem(keys.blocks(user), other);
          if (does === "delete")
            for (const author of people) await tried(deleteTweet(world.ctx, author, tweet));
          for (const viewer of [user, undefined]) await expectLikeFresh(people, viewer);
        }
        for (const viewer of people) await expectLikeFresh(people, viewer);
      }),
      runs(40, 12_000),
    );
  });

  it("kept tweets fold for those whose filter they match only, whatever its title", async () => {
    const people = await newPeople(world.ctx, 2);
    const [author, user] = people as [UserId, UserId];
    const replyTo = await postTweet(world.ctx, author, { text: "…" });
    await postTweet(world.ctx, user, { text: "…", replyTo });
    const viewer = await findUser(world.ctx, user);
    const { items } = await repliesFeed(world.ctx, author, { viewer });
    for (const title of ["m", "f", "a", "fm", "am"]) {
      const folded = items.map((item) => ({ ...item, warnings: [title] }));
      const own = await presentTimeline(world.ctx, readerAs(viewer), folded);
      expect(String(own)).toContain(`Filtered: ${title}`);
      await expectLikeFresh(people, undefined);
      await expectLikeFresh(people, user);
    }
  });

  it("kept tweets show the current age of the tweet they quote", async () => {
    const people = await newPeople(world.ctx, 1);
    const quoteOf = await postTweet(world.ctx, at(people, 0), { text: "first" });
    world.pass(30 * 60_000);
    await postTweet(world.ctx, at(people, 0), { text: "second", quoteOf });
    for (let passed = 0; passed < 26; passed += 1) {
      world.pass(10 * 60_000);
      await expectLikeFresh(people, undefined);
    }
  });

  async function expectLikeFresh(people: UserId[], id: UserId | undefined): Promise<void> {
    const viewer = id === undefined ? undefined : await findUser(world.ctx, id);
    for (const author of people) {
      const { items } = await repliesFeed(world.ctx, author, { viewer });
      const html = async (ctx: World["ctx"]) =>
        (await presentTimeline(ctx, readerAs(viewer), items)).map(String);
      const kept = await html(world.ctx);
      // Another context remembers no HTML.
      expect(kept).toEqual(await html({ ...world.ctx }));
      for (const [nth, item] of items.entries()) await expectFor(viewer, item, kept[nth] ?? "");
    }
  }

  /** What is only for the viewer, told by the truth. */
  async function expectFor(viewer: User | undefined, item: FeedItem, html: string): Promise<void> {
    const { redis } = world.ctx;
    const { id } = item.tweet;
    const liked = viewer !== undefined && (await redis.zscore(keys.likes(viewer.id), id)) !== null;
    const again = viewer !== undefined && (await redis.hexists(keys.retweets(viewer.id), id)) === 1;
    expect(html.includes(`/tweets/${id}/unlike`)).toBe(liked);
    expect(html.includes(`/tweets/${id}/unretweet`)).toBe(again);
    const quoted = item.tweet.quoteOf?.author ?? "";
    const blocked =
      viewer !== undefined && (await redis.zscore(keys.blocks(viewer.id), quoted)) !== null;
    expect(html.includes("<blockquote")).toBe(item.quote !== undefined && !blocked);
  }
});

/** Some things cannot be done to what is gone or not one's own. */
async function tried(doing: Promise<unknown>): Promise<void> {
  await doing.catch(() => {});
}

function at<Item>(items: Item[], number: number): Item {
  return items[number % items.length] as Item;
}
