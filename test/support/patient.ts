import type { Ctx } from "../../src/context.ts";
import { examine, type Result } from "../../src/doctor/examine.ts";
import { connectToTestRedis, type World } from "./world.ts";
import { waitUntilReady } from "../../src/redis/client.ts";

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
