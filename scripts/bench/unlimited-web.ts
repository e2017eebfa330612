import { boot } from "../../src/boot.ts";
import { readConfig, requireRedis } from "../../src/config.ts";
import { endOnSignal, run } from "../../src/process.ts";
import { serve } from "../../src/serve.ts";

/** A web process whose API may be asked as often as anybody likes. */
run(async () => {
  const config = { ...readConfig(), apiRequests: 1_000_000_000 };
  const booted = await boot(config, { urls: requireRedis(config) });
  const site = await serve(booted);
  endOnSignal(config, async () => {
    await site.close();
    await booted.close();
  });
});
