import cluster from "node:cluster";
import { boot } from "./boot.ts";
import { type Config, readConfig, requireRedis } from "./config.ts";
import { endOnSignal, run } from "./process.ts";
import { serve } from "./serve.ts";
import { startWebProcesses } from "./web-processes.ts";

const say = (line: string) => process.stderr.write(`suzume: ${line}\n`);

/** Web processes on one port; other machines may run more of them. */
run(async () => {
  const config = readConfig();
  if (cluster.isPrimary && config.webConcurrency > 1) await startSeveral(config);
  else await startOne(config);
});

async function startSeveral(config: Config): Promise<void> {
  requireRedis(config);
  const processes = startWebProcesses(config.webConcurrency, {}, say);
  endOnSignal(config, () => processes.close());
  await processes.url;
}

async function startOne(config: Config): Promise<void> {
  const booted = await boot(config, { urls: requireRedis(config) });
  const site = await serve(booted);
  endOnSignal(config, async () => {
    await site.close();
    await booted.close();
  });
  booted.ctx.log.info({ url: site.url }, "listening");
  process.send?.({ url: site.url });
}
