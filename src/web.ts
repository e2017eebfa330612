import { boot } from "./boot.ts";
import { readConfig, requireRedis } from "./config.ts";
import { endOnSignal, run } from "./process.ts";
import { serve } from "./serve.ts";

/** A web process, of which there may be many. */
run(async () => {
  const config = readConfig();
  const booted = await boot(config, { urls: requireRedis(config) });
  const site = await serve(booted);
  endOnSignal(config, async () => {
    await site.close();
    await booted.close();
  });
  booted.ctx.log.info({ url: site.url }, "listening");
});
