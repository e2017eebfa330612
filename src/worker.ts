import { setPriority } from "node:os";
import { boot, orClose } from "./boot.ts";
import { readConfig, requireRedis } from "./config.ts";
import { endOnSignal, run } from "./process.ts";

/** On a machine that also serves pages, delivering gets the CPU that they leave; see `nice`. */
const niceness = 10;

/** A worker process; there may be many. */
run(async () => {
  setPriority(niceness);
  const config = readConfig();
  const booted = await boot(config, { urls: requireRedis(config) });
  endOnSignal(config, () => booted.close());
  await orClose(booted, booted.current);
  booted.work();
  booted.ctx.log.info("working");
});
