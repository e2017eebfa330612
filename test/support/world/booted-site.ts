import type { Express } from "express";
import { boot, type Booted } from "../../../src/boot.ts";
import { type Config, parseConfig } from "../../../src/config.ts";
import { createApp } from "../../../src/web/app.ts";
import { launchOnSocket, type SocketServer } from "./redis-server.ts";
import { appOptions } from "./world.ts";

/** A booted site on its own Redis, which a test may freeze, kill or make refuse writes. */
export interface BootedSite extends Pick<Booted, "ctx"> {
  server: SocketServer;
  app: Express;
  refuseWrites(refuses: boolean): Promise<void>;
  close(): Promise<void>;
}

export async function bootSite(settings: Partial<Config> = {}): Promise<BootedSite> {
  const server = await launchOnSocket();
  const config = {
    ...parseConfig({ LOG_LEVEL: "silent" }),
    bcryptCost: 4,
    firstDayShare: 1,
    ...settings,
  };
  const site = await boot(config, { urls: [server.path] });
  const { ctx } = site;
  return {
    ctx,
    server,
    app: createApp(ctx, appOptions),
    async refuseWrites(refuses) {
      await ctx.redis.config("SET", "min-replicas-to-write", refuses ? 1 : 0);
    },
    async close() {
      server.thaw();
      await site.close();
      await server.kill();
    },
  };
}
