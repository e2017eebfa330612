import {
  type ClientId,
  type ListId,
  parseListId,
  type TweetId,
  tweetId,
  type UserId,
  userId,
} from "../../src/domain/ids.ts";
import { replaceAddress } from "../../src/domain/accounts/mail.ts";
import { makeRecoveryCodes } from "../../src/domain/factors/codes.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { vote } from "../../src/domain/actions/vote.ts";
import { editTweet } from "../../src/domain/actions/edit-tweet.ts";
import { getTweet } from "../../src/domain/tweets/store.ts";
import { keys } from "../../src/redis/keys.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { addSampleContent } from "../support/world/sample-content.ts";
import type { World } from "../support/world/world.ts";

/** A site with sample content in which no job is left, and the ids that tests damage. */
export interface SampleSite {
  redis: RedisClient;
  viewer: UserId;
  writer: UserId;
  spammer: UserId;
  /** Ids of a user and of a tweet that never existed. */
  nobody: UserId;
  never: TweetId;
  /** By the writer; liked, retweeted and answered by the viewer. */
  liked: TweetId;
  /** By the viewer, who has pinned it. It had the hashtag #giraffe, until an edit took that away. */
  mine: TweetId;
  reply: TweetId;
  /** By the viewer: a poll in which the writer has voted. */
  asked: TweetId;
  /** A list of the viewer, which has the writer. */
  list: ListId;
  /** Key of an app that the viewer has authorized. */
  app: string;
}

/** ADMINS of the world must name "viewer". */
export async function createSampleSite(world: World): Promise<SampleSite> {
  const { values } = await addSampleContent(world);
  await finishJobs(world);
  const { redis } = world.ctx;
  const idOf = async (name: string) => userId((await redis.get(keys.username(name))) ?? "");
  const viewer = await idOf("viewer");
  const writer = await idOf("writer");
  await redis.hset(keys.user(writer), "mail", "");
  await replaceAddress(world.ctx, writer, { from: "", to: "Writer@example.org", language: "en" });
  await makeRecoveryCodes(world.ctx, { id: writer });
  await finishJobs(world);
  const list = parseListId(values["id"] ?? "") as ListId;
  const liked = tweetId(values["id"] ?? "");
  const mine = tweetId((await redis.hget(keys.user(viewer), "pinned")) ?? "");
  const { text } = await getTweet(world.ctx, mine);
  for (const said of [`${text} #giraffe`, text])
    await editTweet(world.ctx, viewer, mine, { text: said, pictures: [], sensitive: false });
  const poll = { choices: ["oats", "rye"], seconds: 604_800 };
  const asked = await postTweet(world.ctx, viewer, { text: "Which grains?", poll });
  await vote(world.ctx, writer, asked, [0]);
  await finishJobs(world);
  const [token = "{}"] = Object.values(await redis.hgetall(keys.tokens(viewer)));
  return {
    redis,
    viewer,
    writer,
    spammer: await idOf("spammer"),
    nobody: userId(4711),
    never: tweetId(await redis.incr(keys.tweetIds)),
    liked,
    mine,
    reply: tweetId((await redis.zrange(keys.tweetReplies(liked), 0, "0"))[0] ?? ""),
    asked,
    list,
    app: keys.app((JSON.parse(token) as { app: ClientId }).app),
  };
}
