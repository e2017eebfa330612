import { setPriority } from "node:os";
import { boot } from "./boot.ts";
import { readConfig, requireRedis } from "./config.ts";
import { endOnSignal, run } from "./process.ts";

/** Of a machine that serves pages too, delivering takes what these leave over; see `nice`. */
const niceness = 10;

/** A worker process, of which there may be many. */
run(async () => {
  setPriority(niceness);
  const config = readConfig();
  const booted = await boot(config, { urls: requireRedis(config) });
  booted.work();
  endOnSignal(config, () => booted.close());
  booted.ctx.log.info("working");
});
