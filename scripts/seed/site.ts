import { boot, type Booted } from "../../src/boot.ts";
import type { Config } from "../../src/config.ts";
import { startPrivateServer } from "../../src/redis/private-server.ts";

/** Runs `work` on the Redis of the settings or, without it, on a private one, which is stopped afterwards. */
export async function withSite(
  config: Config,
  work: (booted: Booted) => Promise<void>,
): Promise<void> {
  const urls = config.redisUrls;
  const server = urls.length > 0 ? undefined : await startPrivateServer(config);
  try {
    const booted = await boot(config, server === undefined ? { urls } : { socket: server.socket });
    try {
      await work(booted);
    } finally {
      await booted.close();
    }
  } finally {
    await server?.stop();
  }
}

/** Resolves once each tweet has been delivered; `tell` gets the number of jobs that are left. */
export async function allDelivered(
  { ctx }: Booted,
  tell: (left: number) => void = () => {},
): Promise<void> {
  for (;;) {
    const counts = await ctx.jobs.counts();
    const left = counts
      .filter(({ queue, state }) => queue !== "chores" && state !== "failed")
      .reduce((sum, { count }) => sum + count, 0);
    tell(left);
    if (left === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
