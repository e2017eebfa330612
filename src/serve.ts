import { type Booted, orClose } from "./boot.ts";
import type { Workers } from "./jobs/workers.ts";
import { sessionSecret } from "./session-secret.ts";
import { createApp } from "./web/app.ts";
import { type Listening, listen } from "./web/server/listen.ts";

/**
 * Serves pages, and runs the workers too if INLINE_WORKER says so, once the data is of this version; disconnects
 * from Redis if it fails. `close` ends both at the same time: neither takes new work while the other finishes.
 */
export async function serve(booted: Booted): Promise<Listening> {
  const listening = await orClose(booted, listenWith(booted));
  let workers: Workers | undefined;
  let isClosing = false;
  const begin = () => {
    if (!isClosing) workers = booted.work();
  };
  // A failure ends the program: it waits for `current`, too.
  if (booted.ctx.config.inlineWorker) booted.current.then(begin, () => {});
  return {
    url: listening.url,
    async close() {
      isClosing = true;
      await Promise.all([listening.close(), workers?.close()]);
    },
  };
}

async function listenWith({ ctx, redis }: Booted): Promise<Listening> {
  const secret = await sessionSecret(ctx.config);
  const ending = new AbortController();
  const app = createApp(ctx, { secret, redis, ending: ending.signal });
  return await listen(app, ctx.config, () => ending.abort());
}
