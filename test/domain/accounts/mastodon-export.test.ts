import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { exportMastodon } from "../../../src/domain/accounts/export-mastodon.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { prepareUpload } from "../../../src/domain/pictures/prepare-upload.ts";
import { addUpload } from "../../../src/domain/pictures/uploads.ts";
import { siteUrl } from "../../../src/domain/site-url.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { contentOf } from "../../../src/web/api/entities/content.ts";
import { presentText } from "../../../src/web/layout/text.ts";
import { moveIn, ownTweets } from "../../support/actors/mover.ts";
import { newPerson, postAndDeliver } from "../../support/actors/people.ts";
import { contentsOf } from "../../support/data/account-files.ts";
import { picture } from "../../support/data/pictures.ts";
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

  const archiveOf = async (id: UserId) => {
    const user = (await findUser(ctx, id)) as User;
    const site = siteUrl(ctx, "");
    const content = (tweet: Tweet) => contentOf(presentText(tweet.text, tweet.mentions), site);
    return await buffer(await exportMastodon(ctx, { user, site, contentOf: content }));
  };
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
});
