import type { BrowserContext, BrowserContextOptions } from "playwright-core";
import { inject } from "vitest";
import type { Config } from "../../../src/config.ts";
import type { Languages } from "../../../src/web/languages/translator.ts";
import { listen } from "../../../src/web/server/listen.ts";
import { startChromium } from "../actors/chromium.ts";
import { sessionCookie } from "../inspect/cookies.ts";
import { password } from "../actors/visitor.ts";
import { type WatchedPage, watchPage } from "../actors/watched-page.ts";
import { createWorld, type World } from "./world.ts";

/** A whole Suzume on its own port, and a browser. */
export interface BrowserSite {
  world: World;
  url: string;
  /** A page with cookies of its own: of the user with this name, or of a visitor. */
  openPage(name?: string, options?: BrowserContextOptions): Promise<WatchedPage>;
  close(): Promise<void>;
}

export async function openSite(
  settings: Partial<Config> = {},
  worldOptions: { languages?: Languages } = {},
): Promise<BrowserSite> {
  const world = await createWorld(settings, worldOptions);
  const server = await listen(world.app, { ...world.ctx.config, port: 0, host: "127.0.0.1" });
  const { url } = server;
  const browser = await startChromium(inject("chromium"));
  const contexts: BrowserContext[] = [];
  return {
    world,
    url,
    async openPage(name, options = {}) {
      const context = await browser.newContext({ baseURL: url, ...options });
      contexts.push(context);
      context.setDefaultTimeout(10_000);
      if (name !== undefined) await context.addCookies([await cookieOf(world, url, name)]);
      return await watchPage(context);
    },
    async close() {
      // First: they would keep connections open.
      for (const context of contexts) await context.close();
      // It listens for a second longer, which is nobody's business here.
      void server.close();
      await world.close();
    },
  };
}

async function cookieOf(world: World, url: string, name: string) {
  const answer = await world.visitor().post("/login", { name, password }).expect(303);
  const [key = "", value = ""] = sessionCookie(answer).split(/=(.*)/s);
  return { name: key, value, url };
}
