import { type Booted, sessionSecret } from "./boot.ts";
import { createApp } from "./web/app.ts";
import { type Listening, listen } from "./web/listen.ts";

/** Serves pages, and runs the workers too where INLINE_WORKER says so. */
export async function serve({ ctx, work }: Booted): Promise<Listening> {
  const secret = await sessionSecret(ctx.config);
  const listening = await listen(createApp(ctx, secret), ctx.config);
  if (ctx.config.inlineWorker) work();
  return listening;
}
