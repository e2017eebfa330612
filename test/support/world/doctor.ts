import type { Ctx } from "../../../src/context.ts";
import { examine, type Result } from "../../../src/doctor/examine.ts";
import { waitUntilReady } from "../../../src/redis/client.ts";
import { connectToTestRedis, type World } from "./world.ts";

/** Resolves once no job is left; delayed jobs run at once. */
export async function finishJobs({ queues }: Pick<World, "queues">): Promise<void> {
  const states = ["waiting", "prioritized", "active", "delayed"] as const;
  // A job may promise one in a queue that was just looked at.
  for (let empty = 0; empty < 2;) {
    for (const queue of queues.all()) await queue.promoteJobs();
    const counts = await Promise.all(
      queues.all().map((queue) => queue.getJobCountByTypes(...states)),
    );
    empty = counts.every((count) => count === 0) ? empty + 1 : 0;
    if (empty < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Result of the doctor in an idle world, where it need not wait. */
export async function runDoctor(
  world: Pick<World, "ctx" | "queues">,
  { repair = false, removeMany = false }: { repair?: boolean; removeMany?: boolean } = {},
): Promise<Result> {
  const redis = connectToTestRedis("worker", world.ctx.config);
  try {
    await waitUntilReady(redis, 5000);
    const ctx: Ctx = { ...world.ctx, redis };
    const wishes = { repair, removeMany, minAge: 0, pause: 0, progress: () => {} };
    return await examine(ctx, world.queues, wishes);
  } finally {
    redis.disconnect();
  }
}

/** Closes a world; throws if the doctor finds anything in it. */
export async function closeChecked(world: World, { workers = true } = {}): Promise<void> {
  try {
    if (workers) await finishJobs(world);
    const { findings } = await runDoctor(world);
    if (findings.length > 0) throw new Error(`the doctor: ${JSON.stringify(findings, null, 2)}`);
  } finally {
    await world.close();
  }
}
