import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { exportArchive } from "../../../src/domain/accounts/export-archive.ts";
import { exportMastodon } from "../../../src/domain/accounts/export-mastodon.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { vote } from "../../../src/domain/actions/vote.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { prepareUpload } from "../../../src/domain/pictures/prepare-upload.ts";
import { addUpload } from "../../../src/domain/pictures/uploads.ts";
import { siteUrl } from "../../../src/domain/site-url.ts";
import { isOver, readTallies } from "../../../src/domain/tweets/poll.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { contentOf } from "../../../src/web/api/entities/parts.ts";
import { moveIn, ownTweets } from "../../support/actors/mover.ts";
import { newPeople, newPerson, postAndDeliver } from "../../support/actors/people.ts";
import { contentsOf, exportFile } from "../../support/data/account-files.ts";
import { picture } from "../../support/data/pictures.ts";
import { endingAfter } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const twoDays = 2 * 24 * 60 * 60 * 1000;

describe("an export as a Mastodon archive", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  const optionsOf = async (id: UserId) => {
    const site = siteUrl(ctx, "");
    const content = (tweet: Tweet) => contentOf(tweet.text, tweet.mentions, site);
    return { user: (await findUser(ctx, id)) as User, site, contentOf: content };
  };
  const archiveOf = async (id: UserId) =>
    await buffer(await exportMastodon(ctx, await optionsOf(id)));
  /** What a tweet is, apart from where it is. */
  const shownBy = async (id: UserId) => {
    const tweets = await ownTweets(ctx, id);
    const own = tweets.filter(({ author }) => author === id);
    return own.map((tweet) => ({
      text: tweet.text,
      warning: tweet.warning,
      language: tweet.language,
      createdAt: tweet.createdAt,
      sensitive: tweet.sensitive,
      audience: tweet.audience,
      answers: own.findIndex(({ id: other }) => other === tweet.replyTo?.tweet),
      pictures: (tweet.pictures ?? []).map(({ large, description }) => [large.width, description]),
    }));
  };

  it("what is imported from it is what was exported", async () => {
    const [ann, bob] = [await newPerson(ctx), await newPerson(ctx)];
    const bobName = (await findUser(ctx, bob))?.name ?? "";
    const upload = await addUpload(ctx, ann, {
      bytes: await picture("png"),
      description: "a <wall>",
    });
    await prepareUpload(ctx, { user: ann, upload });
    await postTweet(ctx, ann, {
      text: "one & <two>\n  three\n\n#雀 https://a.example/x?y=1&z=%20",
    });
    const first = await postAndDeliver(ctx, ann, `hello @${bobName}, and @nobody_here`);
    world.pass(1000);
    await postTweet(ctx, ann, { text: "answered", replyTo: first, language: "de" });
    await postTweet(ctx, ann, { text: "", pictures: [upload], sensitive: true });
    await postTweet(ctx, ann, { text: "folded", warning: "a warning", audience: "unlisted" });
    await postTweet(ctx, ann, { text: "for followers", audience: "followers" });
    await retweet(ctx, ann, await postAndDeliver(ctx, bob, "theirs"));
    await follow(ctx, { follower: ann, followee: bob });
    const archive = await archiveOf(ann);
    const { names } = await contentsOf(ctx, archive);
    expect(names.filter((name) => !name.startsWith("media_attachments/"))).toEqual([
      "actor.json",
      "outbox.json",
      "likes.json",
      "bookmarks.json",
      "following_accounts.csv",
      "lists.csv",
    ]);
    world.pass(twoDays);
    const { user: heir, progress } = await moveIn(ctx, archive);
    expect(progress).toMatchObject({
      tweets: 6,
      pictures: 1,
      follows: 1,
      skipped: { retweet: 1 },
    });
    expect(await shownBy(heir)).toHaveLength(6);
    expect(await shownBy(heir)).toEqual(await shownBy(ann));
  });

  it("a poll comes back closed with its numbers, and without votes, from either export", async () => {
    const [ann, bob, cid] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    const ask = (text: string, several: boolean, seconds: number) =>
      postTweet(ctx, ann, { text, poll: { choices: ["oats", "rye & <wheat>"], seconds, several } });
    const over = await ask("over?", false, 300);
    const open = await ask("open?", true, 6 * 24 * 60 * 60);
    await vote(ctx, bob, over, [1]);
    await vote(ctx, bob, open, [0, 1]);
    await vote(ctx, cid, open, [1]);
    world.pass(twoDays);
    const pollsOf = async (tweets: readonly Tweet[]) => {
      const tallies = await readTallies(ctx, { id: bob }, tweets);
      return tweets.map(({ id, text, poll }) => ({
        text,
        choices: poll?.choices,
        several: poll?.several === true,
        counts: tallies.get(id)?.counts,
        voters: tallies.get(id)?.voters,
      }));
    };
    const asked = await pollsOf(await ownTweets(ctx, ann));
    expect(asked.map(({ counts, voters }) => [counts, voters])).toEqual([
      [[0, 1], 1],
      [[1, 2], 2],
    ]);
    for (const file of [await archiveOf(ann), await exportFile(ctx, ann)]) {
      const { user: heir, tweets } = await moveIn(ctx, file);
      expect(await pollsOf(tweets)).toEqual(asked);
      for (const { id, poll } of tweets) {
        expect(poll && isOver(poll, ctx.now())).toBe(true);
        await expect(vote(ctx, bob, id, [0])).rejects.toThrow(Invalid);
        expect(await ctx.redis.exists(keys.tweetVotes(id))).toBe(0);
        expect(await ctx.redis.zscore(keys.endingPolls, id)).toBeNull();
      }
      // From there it moves on.
      const { tweets: again } = await moveIn(ctx, await archiveOf(heir));
      expect(await pollsOf(again)).toEqual(asked);
    }
  });

  it("an outage while an archive begins reaches who asked for it, and nobody else", async () => {
    const options = await optionsOf(await newPerson(ctx));
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on("uncaughtExceptionMonitor", note);
    const away = endingAfter(ctx, 0);
    await expect(exportMastodon(away, options)).rejects.toThrow("before ");
    // Read only once it has failed.
    const archive = exportArchive(away, options, []);
    await sleep(100);
    await expect(buffer(archive)).rejects.toThrow("before ");
    process.off("uncaughtExceptionMonitor", note);
    expect(uncaught).toEqual([]);
  });
});
