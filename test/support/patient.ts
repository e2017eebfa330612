import type { Ctx } from "../../src/context.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { type ClientId, type TweetId, tweetId, type UserId, userId } from "../../src/domain/ids.ts";
import { examine, type Result } from "../../src/doctor/examine.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import { keys } from "../../src/redis/keys.ts";
import { furnish } from "./furnished.ts";
import { connectToTestRedis, type World } from "./world.ts";

/** A furnished site in which no job is left, and whom and what harm is done to. */
export interface Patient {
  redis: RedisClient;
  viewer: UserId;
  writer: UserId;
  spammer: UserId;
  /** Of a user and of a tweet that never were. */
  nobody: UserId;
  never: TweetId;
  /** By the writer; the viewer likes it, has retweeted it and has answered it. */
  liked: TweetId;
  /** The viewer's, who has pinned it. */
  mine: TweetId;
  reply: TweetId;
  /** The key of an app that the viewer has let in. */
  app: string;
}

/** The world's ADMINS are to name "viewer". */
export async function furnishPatient(world: World): Promise<Patient> {
  const { values } = await furnish(world);
  await settled(world);
  const { redis } = world.ctx;
  const idOf = async (name: string) => userId((await redis.get(keys.username(name))) ?? "");
  const viewer = await idOf("viewer");
  const liked = tweetId(values["id"] ?? "");
  const [token = "{}"] = Object.values(await redis.hgetall(keys.tokens(viewer)));
  return {
    redis,
    viewer,
    writer: await idOf("writer"),
    spammer: await idOf("spammer"),
    nobody: userId(4711),
    never: tweetId(await redis.incr(keys.tweetIds)),
    liked,
    mine: tweetId((await redis.hget(keys.user(viewer), "pinned")) ?? ""),
    reply: tweetId((await redis.zrange(keys.tweetReplies(liked), 0, "0"))[0] ?? ""),
    app: keys.app((JSON.parse(token) as { app: ClientId }).app),
  };
}

/** Resolves once no job is left to be done, those included that would wait for their time. */
export async function settled({ queues }: Pick<World, "queues">): Promise<void> {
  for (;;) {
    let left = 0;
    for (const queue of queues.all()) {
      await queue.promoteJobs();
      left += await queue.getJobCountByTypes("waiting", "active", "delayed");
    }
    if (left === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What the doctor says of a world in which nothing happens: it need not wait for anything. */
export async function diagnose(
  world: Pick<World, "ctx" | "queues">,
  { repair = false }: { repair?: boolean } = {},
): Promise<Result> {
  const redis = connectToTestRedis("worker", world.ctx.config);
  try {
    await waitUntilReady(redis, 5000);
    const ctx: Ctx = { ...world.ctx, redis };
    const wishes = { repair, minAge: 0, pause: 0, progress: () => {} };
    return await examine(ctx, world.queues, wishes);
  } finally {
    redis.disconnect();
  }
}

/** Ends a world, and throws if its story left anything behind that the doctor finds. */
export async function closeWell(world: World, { workers = true } = {}): Promise<void> {
  try {
    if (workers) await settled(world);
    const { findings } = await diagnose(world);
    if (findings.length > 0) throw new Error(`the doctor: ${JSON.stringify(findings, null, 2)}`);
  } finally {
    await world.close();
  }
}
