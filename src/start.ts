import { boot } from "./boot.ts";
import { readConfig } from "./config.ts";
import { endOnSignal, run } from "./process.ts";
import type { Address } from "./redis/client.ts";
import { startPrivateServer } from "./redis/private-server.ts";
import { serve } from "./serve.ts";

const say = (line: string) => process.stdout.write(`suzume: ${line}\n`);

/** `npm start`: the whole site in one process, on a private Redis unless REDIS_URL names another. */
run(async () => {
  const config = readConfig();
  const server =
    config.redisUrls.length > 0
      ? undefined
      : await startPrivateServer({ dataDir: config.dataDir, say });
  const address: Address =
    server === undefined ? { urls: config.redisUrls } : { socket: server.socket };
  try {
    const booted = await boot(config, address);
    const site = await serve(booted);
    endOnSignal(config, async () => {
      await site.close();
      await booted.close();
      await server?.stop();
    });
    if (!config.inlineWorker)
      say(
        `INLINE_WORKER is false: tweets wait for REDIS_URL=${urlOf(address)} node dist/worker.js`,
      );
    say(`open ${site.url}`);
  } catch (error) {
    await server?.stop();
    throw error;
  }
});

/** What another process would call this Redis. */
function urlOf(address: Address): string {
  return "socket" in address ? address.socket : address.urls.join(",");
}
