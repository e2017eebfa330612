import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { beginEdit, editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { pinTweet, unpinTweet } from "../../../src/domain/actions/pin-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { NotFound } from "../../../src/domain/errors.ts";
import { historyFor } from "../../../src/domain/feeds/thread.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { muteConversation } from "../../../src/domain/notifications/muted-conversations.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("actions on a hidden tweet", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("who edits, deletes, pins or mutes a hidden tweet learns no more than that there is none", async () => {
    const { ctx } = world;
    const [author, stranger] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const id = await postTweet(ctx, author, { text: "for some", audience: "followers" });
    const again = (await retweet(ctx, author, id)) as TweetId;
    for (const tweet of [id, again])
      for (const verb of [beginEdit, deleteTweet, pinTweet, unpinTweet, muteConversation])
        await expect(verb(ctx, stranger, tweet)).rejects.toThrow(NotFound);
  });

  it("who is mentioned by an edit sees no version from before", async () => {
    const { ctx } = world;
    const [author, follower, other] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    await follow(ctx, { follower, followee: author });
    const id = await postTweet(ctx, author, { text: "among us", audience: "followers" });
    const name = (await ctx.redis.hget(keys.user(other), "name")) ?? "";
    const text = `among us and @${name}`;
    await editTweet(ctx, author, id, { text, pictures: [], sensitive: false });
    const tweet = await getTweet(ctx, id);
    const textsFor = async (user: UserId) =>
      (await historyFor(ctx, { id: user }, tweet)).map((version) => version.text);
    expect(await textsFor(other)).toEqual([text]);
    for (const user of [author, follower]) expect(await textsFor(user)).toEqual([text, "among us"]);
  });
});
