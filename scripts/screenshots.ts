import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import type { Booted } from "../src/boot.ts";
import { parseConfig } from "../src/config.ts";
import { run } from "../src/process.ts";
import { serve } from "../src/serve.ts";
import { startChromium } from "../test/support/actors/chromium.ts";
import { demoPassword, seedDemo } from "./seed/demo.ts";
import { allDelivered, withSite } from "./seed/site.ts";
import { lines } from "./seed/talks.ts";
import { provideChromium } from "./setup/chromium.mjs";

const folder = fileURLToPath(new URL("../docs/screenshots/", import.meta.url));
const wide = { width: 1280, height: 900 };
const tall = { width: 1280, height: 1330 };
const phone = { width: 360, height: 780 };

/** All talks once. */
const scene = { users: 12, tweets: lines.length, follows: 9, hours: 5 };
/** Answers a line, and is answered. */
const focused = lines.findIndex(({ text }) => text.startsWith("I can draw the labels"));

/** In the page: resolves once the pictures on the screen are decoded. Hidden pictures are never loaded. */
const picturesShown = `Promise.all(
  [...document.images]
    .filter((image) => image.checkVisibility() && image.getBoundingClientRect().top < innerHeight)
    .map((image) => image.decode()),
)`;

/** `npm run screenshots`: docs/screenshots, from a site of its own that is gone afterwards. */
run(async () => {
  const chromium = await provideChromium();
  const dataDir = await mkdtemp(join(tmpdir(), "suzume-screenshots-"));
  const settings = { PORT: "0", HOST: "127.0.0.1", DATA_DIR: dataDir, LOG_LEVEL: "error" };
  const config = { ...parseConfig(settings), limitFactor: 1_000_000 };
  try {
    await withSite(config, (booted) => takePictures(booted, chromium));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  process.exit(0);
});

async function takePictures(booted: Booted, chromium: string): Promise<void> {
  const listening = await serve(booted);
  const browser = await startChromium(chromium);
  try {
    const { users, tweets } = await seedDemo(booted.ctx, scene, () => () => {});
    await allDelivered(booted);
    const viewer = users[0]?.name ?? "";
    await takeAll(browser, listening.url, { viewer, thread: `/tweets/${tweets[focused]}` });
  } finally {
    await browser.close();
    await listening.close();
  }
}

async function takeAll(
  browser: Browser,
  url: string,
  { viewer, thread }: { viewer: string; thread: string },
): Promise<void> {
  const shots = [
    { name: "home", path: "/", viewport: wide, colorScheme: "light" },
    { name: "home-phone-dark", path: "/", viewport: phone, colorScheme: "dark" },
    { name: "thread", path: thread, viewport: tall, colorScheme: "light" },
    { name: "profile", path: "/@wanda_parsnip", viewport: wide, colorScheme: "light" },
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
    await page.locator("input[name=name]").fill(viewer);
    await page.locator("input[name=password]").fill(demoPassword);
    await page.locator("main button.button-primary").click();
    await page.waitForURL(`${url}/`);
    await page.goto(path, { waitUntil: "load" });
    await page.evaluate(picturesShown);
    // With a palette they take a third.
    const picture = sharp(await page.screenshot()).png({ palette: true, effort: 10 });
    await picture.toFile(join(folder, `${name}.png`));
    process.stdout.write(`suzume: docs/screenshots/${name}.png\n`);
    await context.close();
  }
}
