import type { Browser, BrowserContextOptions } from "playwright-core";
import { inject } from "vitest";
import type { Config } from "../../src/config.ts";
import type { Languages } from "../../src/web/languages/languages.ts";
import { listen } from "../../src/web/listen.ts";
import { startChromium } from "./chromium.ts";
import { sessionCookie } from "./raw.ts";
import { password } from "./visitor.ts";
import { openWindow, type Window } from "./window.ts";
import { createWorld, type World } from "./world.ts";

/** A whole Suzume on a port of its own, and a browser to look at it. */
export interface BrowserSite {
  world: World;
  url: string;
  browser: Browser;
  /** A window of somebody who has signed up, or of a stranger; cookies of its own. */
  window(name?: string, options?: BrowserContextOptions): Promise<Window>;
  close(): Promise<void>;
}

export async function openSite(
  settings: Partial<Config> = {},
  outfit: { languages?: Languages } = {},
): Promise<BrowserSite> {
  const world = await createWorld(settings, outfit);
  const server = await listen(world.app, { ...world.ctx.config, port: 0, host: "127.0.0.1" });
  const { url } = server;
  const browser = await startChromium(inject("chromium"));
  return {
    world,
    url,
    browser,
    async window(name, options = {}) {
      const context = await browser.newContext({ baseURL: url, ...options });
      context.setDefaultTimeout(10_000);
      if (name !== undefined) await context.addCookies([await cookieOf(world, url, name)]);
      return await openWindow(context);
    },
    async close() {
      // First, so that no connection of it is left to wait for.
      await browser.close();
      await server.close();
      await world.close();
    },
  };
}

async function cookieOf(world: World, url: string, name: string) {
  const answer = await world.visitor().post("/login", { name, password }).expect(303);
  const [key = "", value = ""] = sessionCookie(answer).split(/=(.*)/s);
  return { name: key, value, url };
}
