import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { block } from "../../../src/domain/actions/block.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { findFeedItem } from "../../../src/domain/feeds/thread.ts";
import type { TweetId } from "../../../src/domain/ids.ts";
import { chooseAudiences } from "../../../src/domain/users/settings.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { newPeople } from "../../support/actors/people.ts";
import { faultyNetwork, type FaultyNetwork } from "../../support/world/faulty-network.ts";
import {
  type MemoryProcess,
  startProcess,
  stopProcess,
} from "../../support/world/memory-process.ts";
import { onCluster, testAddress } from "../../support/world/test-redis.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface Case {
  author: User;
  reader: User;
  tweet: TweetId;
}

const verbs: Record<string, (ctx: Ctx, one: Case) => Promise<void>> = {
  "a block": (ctx, { author, reader }) => block(ctx, { blocker: author.id, blocked: reader.id }),
  "the end of a follow": (ctx, { author, reader }) =>
    unfollow(ctx, { follower: reader.id, followee: author.id }),
  protection: (ctx, { author }) => chooseAudiences(ctx, author, { protected: true }),
  suspension: (ctx, { author }) => suspendUser(ctx, author),
  deletion: (ctx, { author, tweet }) => deleteTweet(ctx, author.id, tweet),
  "an edit": (ctx, { author, tweet }) =>
    editTweet(ctx, author.id, tweet, {
      text: "for some",
      pictures: [],
      sensitive: false,
      audience: "followers",
    }),
};

describe.skipIf(onCluster)("a verb that hides a tweet", () => {
  let world: World;
  let network: FaultyNetwork;
  let far: MemoryProcess;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const address = testAddress();
    if (!("socket" in address)) throw new TypeError("no socket");
    network = await faultyNetwork({ path: address.socket });
    const url = `redis://127.0.0.1:${network.port}/${address.db ?? 0}`;
    far = await startProcess({ urls: [url] });
  });
  afterAll(async () => {
    stopProcess(far);
    await network.close();
    await world.close();
  });

  it.each(Object.keys(verbs))(
    "after %s nobody in the same process sees the tweet, however late Redis reports the change",
    async (name) => {
      const { redis, memory } = far;
      const ctx: Ctx = { ...world.ctx, redis, memory };
      const people = await newPeople(world.ctx, 2);
      const [author, reader] = await Promise.all(people.map((id) => findUser(world.ctx, id)));
      if (author === undefined || reader === undefined) throw new Error("nobody is there");
      const isFollowed = name === "the end of a follow";
      if (isFollowed) await follow(world.ctx, { follower: reader.id, followee: author.id });
      const audience = isFollowed ? "followers" : "public";
      const tweet = await postTweet(world.ctx, author.id, { text: "words", audience });
      expect(await findFeedItem(ctx, reader, tweet)).toBeDefined();
      // The connection that listens.
      network.delay(300, 2);
      await verbs[name]?.(ctx, { author, reader, tweet });
      expect(await findFeedItem(ctx, reader, tweet)).toBeUndefined();
      network.delay(0);
    },
  );
});
