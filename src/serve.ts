import { type Booted, sessionSecret } from "./boot.ts";
import { queueBoard } from "./jobs/board.ts";
import { createApp } from "./web/app.ts";
import { boardPath } from "./web/pages/admin.ts";
import { type Listening, listen } from "./web/listen.ts";

/** Serves pages, and runs the workers too where INLINE_WORKER says so. */
export async function serve({ ctx, queues, work }: Booted): Promise<Listening> {
  const secret = await sessionSecret(ctx.config);
  const listening = await listen(
    createApp(ctx, { secret, board: queueBoard(queues, boardPath) }),
    ctx.config,
  );
  if (ctx.config.inlineWorker) work();
  return listening;
}
