import cluster from "node:cluster";
import { boot, orClose } from "./boot.ts";
import { type Config, readConfig, requireRedis } from "./config.ts";
import { endOnSignal, run } from "./process.ts";
import { serve } from "./serve.ts";
import { type Condition, startWebProcesses } from "./web-processes.ts";

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
  await processes.running;
}

async function startOne(config: Config): Promise<void> {
  const booted = await boot(config, { urls: requireRedis(config) });
  const site = await serve(booted);
  endOnSignal(config, async () => {
    await site.close();
    await booted.close();
  });
  const { url } = site;
  booted.ctx.log.info({ url }, "listening");
  const tell = (troubles: string[]) => process.send?.({ url, troubles } satisfies Condition);
  tell(await booted.redis.look());
  booted.redis.well.then(
    () => tell([]),
    () => {},
  );
  await orClose(booted, booted.current);
}
