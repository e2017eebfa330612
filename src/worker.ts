import { boot } from "./boot.ts";
import { readConfig, requireRedis } from "./config.ts";
import { endOnSignal, run } from "./process.ts";

/** A worker process, of which there may be many. */
run(async () => {
  const config = readConfig();
  const booted = await boot(config, { urls: requireRedis(config) });
  booted.work();
  endOnSignal(config, () => booted.close());
  booted.ctx.log.info("working");
});
