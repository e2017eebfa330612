import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { boot, type Booted } from "../src/boot.ts";
import { parseConfig } from "../src/config.ts";
import { run } from "../src/process.ts";
import { startPrivateServer } from "../src/redis/private-server.ts";
import { serve } from "../src/serve.ts";
import { startChromium } from "../test/support/actors/chromium.ts";
import { setScene } from "./screenshots/scene.ts";
import { demoPassword } from "./seed/demo.ts";
import { provideChromium } from "./setup/chromium.mjs";

const folder = fileURLToPath(new URL("../docs/screenshots/", import.meta.url));
const wide = { width: 1280, height: 900 };
const phone = { width: 360, height: 780 };

/** `npm run screenshots`: docs/screenshots, from a site of its own that is gone afterwards. */
run(async () => {
  const chromium = await provideChromium();
  const dataDir = await mkdtemp(join(tmpdir(), "suzume-screenshots-"));
  const server = await startPrivateServer({ dataDir });
  try {
    const settings = { PORT: "0", HOST: "127.0.0.1", DATA_DIR: dataDir, LOG_LEVEL: "error" };
    const booted = await boot(parseConfig(settings), { socket: server.socket });
    const listening = await serve(booted);
    const browser = await startChromium(chromium);
    try {
      const { thread } = await setScene(booted.ctx);
      await allDelivered(booted);
      await takeAll(browser, listening.url, thread);
    } finally {
      await browser.close();
      await listening.close();
      await booted.close();
    }
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  process.exit(0);
});

async function takeAll(browser: Browser, url: string, thread: string): Promise<void> {
  const shots = [
    { name: "home", path: "/", viewport: wide, colorScheme: "light" },
    { name: "home-phone-dark", path: "/", viewport: phone, colorScheme: "dark" },
    { name: "thread", path: thread, viewport: wide, colorScheme: "light" },
    { name: "profile", path: "/@demo_2", viewport: wide, colorScheme: "light" },
    { name: "notifications", path: "/notifications", viewport: wide, colorScheme: "dark" },
    { name: "home-ja", path: "/", viewport: wide, colorScheme: "light", locale: "ja-JP" },
    {
      name: "home-ja-phone-dark",
      path: "/",
      viewport: phone,
      colorScheme: "dark",
      locale: "ja-JP",
    },
  ] as const;
  for (const { name, path, ...look } of shots) {
    const options = { baseURL: url, locale: "en-GB", ...look } as const;
    const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto("/login");
    await page.locator("input[name=name]").fill("demo_1");
    await page.locator("input[name=password]").fill(demoPassword);
    await page.locator("main button[type=submit]").click();
    await page.waitForURL(`${url}/`);
    await page.goto(path, { waitUntil: "load" });
    await page.screenshot({ path: join(folder, `${name}.png`) });
    process.stdout.write(`suzume: docs/screenshots/${name}.png\n`);
    await context.close();
  }
}

async function allDelivered({ ctx }: Booted): Promise<void> {
  for (;;) {
    const counts = await ctx.jobs.counts();
    const waiting = counts.filter(({ queue, state }) => queue !== "chores" && state !== "failed");
    if (waiting.every(({ count }) => count === 0)) return;
    await sleep(50);
  }
}
