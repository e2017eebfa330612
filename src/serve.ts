import { type Booted, orClose, sessionSecret } from "./boot.ts";
import { queueBoard } from "./jobs/board.ts";
import { createApp } from "./web/app.ts";
import { boardPath } from "./web/pages/admin.ts";
import { type Listening, listen } from "./web/listen.ts";

/**
 * Serves pages, and runs the workers too if INLINE_WORKER says so; disconnects from Redis if it fails. `close`
 * ends both at the same time: neither takes new work while the other finishes.
 */
export async function serve(booted: Booted): Promise<Listening> {
  const listening = await orClose(booted, listenWith(booted));
  const workers = booted.ctx.config.inlineWorker ? booted.work() : undefined;
  return {
    url: listening.url,
    async close() {
      await Promise.all([listening.close(), workers?.close()]);
    },
  };
}

async function listenWith({ ctx, queues, redis }: Booted): Promise<Listening> {
  const secret = await sessionSecret(ctx.config);
  const ending = new AbortController();
  const board = queueBoard(queues, boardPath);
  const app = createApp(ctx, { secret, board, redis, ending: ending.signal });
  return await listen(app, ctx.config, () => ending.abort());
}
