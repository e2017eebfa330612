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
