import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tweetId, type UserId } from "../../../src/domain/ids.ts";
import { block, unblock } from "../../../src/domain/actions/block.ts";
import { unbookmarkTweet } from "../../../src/domain/actions/bookmark.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { likeTweet, unlikeTweet } from "../../../src/domain/actions/like.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet, unretweet } from "../../../src/domain/actions/retweet.ts";
import { changeAvatar, removeAvatar } from "../../../src/domain/users/avatars.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { picture } from "../../support/data/pictures.ts";
import { recordJobs } from "../../support/world/promised-jobs.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("taking back, which has no limit", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it.each(["like", "retweet", "follow", "block", "avatar"] as const)(
    "taking back one %s again and again promises one job, and none for what is not there",
    async (what) => {
      const { ctx, promised } = recordJobs(world.ctx);
      const [author, user] = (await newPeople(ctx, 2)) as [UserId, UserId];
      const tweet = await postAndDeliver(ctx, author, "hello");
      const upload = await picture("png");
      const follows = { follower: user, followee: author };
      const blocks = { blocker: user, blocked: author };
      const [add, takeBack] = {
        like: [() => likeTweet(ctx, user, tweet), () => unlikeTweet(ctx, user, tweet)],
        retweet: [() => retweet(ctx, user, tweet), () => unretweet(ctx, user, tweet)],
        follow: [() => follow(ctx, follows), () => unfollow(ctx, follows)],
        block: [() => block(ctx, blocks), () => unblock(ctx, blocks)],
        avatar: [() => changeAvatar(ctx, user, upload), () => removeAvatar(ctx, user)],
      }[what] as [() => Promise<unknown>, () => Promise<void>];
      await add();
      promised.length = 0;
      for (let nth = 0; nth < 5; nth += 1) await takeBack();
      expect(promised).toHaveLength(1);
    },
  );

  it("who never did it is told the same of a hidden tweet, a deleted one and none", async () => {
    const { ctx } = world;
    const [author, stranger] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const [gone, ...hidden] = [
      await postTweet(ctx, author, { text: "is gone" }),
      await postTweet(ctx, author, { text: "for followers", audience: "followers" }),
      await postTweet(ctx, author, { text: "a message", audience: "mentioned" }),
    ] as const;
    await deleteTweet(ctx, author, gone);
    for (const takeBack of [unlikeTweet, unretweet, unbookmarkTweet])
      for (const tweet of [gone, tweetId(987_654), ...hidden])
        await expect(takeBack(ctx, stranger, tweet)).resolves.toBeUndefined();
  });
});
