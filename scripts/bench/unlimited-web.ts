import { boot } from "../../src/boot.ts";
import { readConfig, requireRedis } from "../../src/config.ts";
import { endOnSignal, run } from "../../src/process.ts";
import { serve } from "../../src/serve.ts";
import { unlimited } from "./lab.ts";

/** A web process without limits. */
run(async () => {
  const config = { ...readConfig(), limitFactor: unlimited };
  const booted = await boot(config, { urls: requireRedis(config) });
  const site = await serve(booted);
  endOnSignal(config, async () => {
    await site.close();
    await booted.close();
  });
});
