import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CDPSession, Page } from "playwright-core";
import type { BrowserSite } from "../support/world/browser-site.ts";

/**
 * A phone of the middle class on a slow fourth-generation network: what Lighthouse calls "Slow 4G",
 * 1.6 Mbit/s down, 750 kbit/s up, each answer 150 ms later than here, and a quarter of a core.
 */
const network = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const slowdown = 4;

/** Makes the page of this session as slow. Answers how many times slower than this machine is just now. */
export async function slowDown(devTools: CDPSession): Promise<number> {
  await devTools.send("Network.enable");
  await devTools.send("Network.emulateNetworkConditions", network);
  // Where others use the core as well, it is slower already.
  const rate = Math.max(1, slowdown * coreShare());
  await devTools.send("Emulation.setCPUThrottlingRate", { rate });
  return rate;
}

/** Share of a core that this process gets now: 1 on an idle machine. */
function coreShare(): number {
  const milliseconds = 200;
  const before = process.cpuUsage();
  const start = performance.now();
  while (performance.now() - start < milliseconds);
  const { user, system } = process.cpuUsage(before);
  const elapsed = performance.now() - start;
  return Math.min(1, (user + system) / 1000 / elapsed);
}

/** Milliseconds until the largest thing in view is painted, and how far things moved. */
export interface Paint {
  largest: number;
  /** What was the largest. */
  what: string;
  shift: number;
  /** How many times slower than the machine. */
  rate: number;
}

/**
 * The largest paint of each page and of a bare one, which is one answer of a few words: the limit on this
 * machine at this moment. Other programs slow both down, so they take turns, `tries` times each, until the
 * page is at most `times` as late as the bare one. Both are best times.
 */
export async function paintsBesideBare(
  site: BrowserSite,
  { name, path, times }: { name: string | undefined; path: string; times: number },
): Promise<{ paints: Paint[]; bare: number }> {
  const server = createServer((_, res) => {
    res.setHeader("Content-Type", "text/html; charset=utf-8").end(barePage);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const paints: Paint[] = [];
  let bare = Infinity;
  try {
    do {
      bare = Math.min(bare, (await visit(site, undefined, `http://127.0.0.1:${port}/`)).largest);
      paints.push(await visit(site, name, path));
    } while (paints.length < tries && fastest(paints) > times * bare);
  } finally {
    server.close();
  }
  return { paints, bare };
}

const tries = 5;
const barePage =
  '<!doctype html><meta name="viewport" content="width=device-width"><title>Bare</title><p>A few words.';

/** Milliseconds of the fastest of some paints. */
export function fastest(paints: readonly Paint[]): number {
  return Math.min(...paints.map(({ largest }) => largest));
}

/** A first visit: a window of its own has nothing in its cache. */
export async function visit(
  site: BrowserSite,
  name: string | undefined,
  path: string,
): Promise<Paint> {
  const { page, context, close } = await site.openPage(name, {
    viewport: { width: 360, height: 780 },
    deviceScaleFactor: 2,
  });
  const devTools = await context.newCDPSession(page);
  const rate = await slowDown(devTools);
  await page.goto(path, { waitUntil: "load" });
  while (!(await page.evaluate<boolean>(picturesShown))) await page.waitForTimeout(50);
  await page.waitForTimeout(300);
  const paint = await paintOf(page);
  await close();
  return { ...paint, rate };
}

async function paintOf(page: Page): Promise<Omit<Paint, "rate">> {
  return await page.evaluate<Omit<Paint, "rate">>(`new Promise((resolve) => {
    const paint = { largest: Infinity, what: "nothing", shift: 0 };
    new PerformanceObserver((list) => {
      const last = list.getEntries().at(-1);
      paint.largest = last.startTime;
      paint.what = [last.element?.tagName.toLowerCase(), last.element?.className].filter(Boolean).join(".") || "gone";
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
      for (const one of list.getEntries()) if (!one.hadRecentInput) paint.shift += one.value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(paint), 100);
  })`);
}

/** In the page: whether the pictures in view have arrived, also those that are loaded lazily. */
const picturesShown = `[...document.images]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().top < innerHeight)
  .every((one) => one.complete)`;
