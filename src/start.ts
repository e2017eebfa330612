import { boot, orClose } from "./boot.ts";
import { type Config, readConfig } from "./config.ts";
import { endOnSignal, run } from "./process.ts";
import type { Address } from "./redis/client.ts";
import { type PrivateServer, startPrivateServer } from "./redis/private-server.ts";
import { serve } from "./serve.ts";
import { type Condition, startWebProcesses } from "./web-processes.ts";

const say = (line: string) => process.stdout.write(`suzume: ${line}\n`);

/** `npm start`: the whole site, in WEB_CONCURRENCY processes, on a private Redis unless REDIS_URL is set. */
run(async () => {
  const config = readConfig();
  const { redisUrls: urls, dataDir } = config;
  const server = urls.length > 0 ? undefined : await startPrivateServer({ dataDir, say });
  const address: Address = server === undefined ? { urls } : { socket: server.socket };
  try {
    if (config.webConcurrency > 1) await startSeveral(config, server);
    else await startOne(config, address, server);
  } catch (error) {
    await server?.stop();
    throw error;
  }
});

async function startSeveral(config: Config, server: PrivateServer | undefined): Promise<void> {
  const settings: Record<string, string> = server === undefined ? {} : { REDIS_URL: server.socket };
  const processes = startWebProcesses(config.webConcurrency, settings, say, announcer());
  endOnSignal(config, async () => {
    await processes.close();
    await server?.stop();
  });
  await processes.running;
}

async function startOne(config: Config, address: Address, server: PrivateServer | undefined) {
  const booted = await boot(config, address);
  const site = await serve(booted);
  endOnSignal(config, async () => {
    await site.close();
    await booted.close();
    await server?.stop();
  });
  if (!config.inlineWorker) say(`INLINE_WORKER is false: tweets wait for ${workerOf(address)}`);
  const { url } = site;
  const announce = announcer();
  announce({ url, troubles: await booted.redis.look() });
  booted.redis.well.then(
    () => announce({ url, troubles: [] }),
    () => {},
  );
  await orClose(booted, booted.current);
}

/** Says once that the site is open; until then what is in the way, each time it changes. */
function announcer(): (condition: Condition) => void {
  let isOpen = false;
  let last = "";
  return ({ url, troubles }) => {
    if (isOpen) return;
    isOpen = troubles.length === 0;
    const line = isOpen
      ? `open ${url}`
      : `${url} answers 503 until this works: ${troubles.join("; ")}`;
    if (line !== last) say(line);
    last = line;
  };
}

/** How to start another process on this Redis. Does not show REDIS_URL, as it may contain a password. */
function workerOf(address: Address): string {
  const command = "node dist/worker.js";
  return "socket" in address ? `REDIS_URL=${address.socket} ${command}` : command;
}
