import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { beginEdit } from "../../../src/domain/actions/edit-tweet.ts";
import { pinTweet, unpinTweet } from "../../../src/domain/actions/pin-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { NotFound } from "../../../src/domain/errors.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { muteConversation } from "../../../src/domain/notifications/muted-conversations.ts";
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
});
