import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { addSampleContent, type SampleContent } from "../support/world/sample-content.ts";

const firstVisit = 48_000;
const laterVisit = 12_000;
const mostShift = 0.02;

describe("page budgets", () => {
  let site: BrowserSite;
  let content: SampleContent;
  beforeAll(async () => {
    site = await openSite({ admins: ["viewer"] });
    content = await addSampleContent(site.world);
  });
  afterAll(() => site.close());

  it("home transfers at most 48 kB on the first visit and 12 kB after it, without avatars", async () => {
    const { page, context } = await site.openPage("viewer");
    const devTools = await context.newCDPSession(page);
    const addresses = new Map<string, string>();
    let bytes = 0;
    await devTools.send("Network.enable");
    devTools.on("Network.responseReceived", ({ requestId, response }) =>
      addresses.set(requestId, response.url),
    );
    devTools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (!addresses.get(requestId)?.includes("/avatars/")) bytes += encodedDataLength;
    });
    await page.goto("/");
    await page.waitForTimeout(300);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(firstVisit);
    bytes = 0;
    await page.goto("/");
    await page.waitForTimeout(300);
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThanOrEqual(laterVisit);
  });

  for (const width of [360, 1280])
    it(`pages do not shift while they load at ${width} px`, async () => {
      const { page } = await site.openPage("viewer", { viewport: { width, height: 800 } });
      for (const path of ["/", "/@writer", `/tweets/${content.values["id"]}`]) {
        await page.goto(path);
        await page.waitForTimeout(200);
        expect([path, await shiftOf(page)]).toEqual([path, expect.toSatisfy(isSmall)]);
      }
    });

  it("pages have no motion for users who prefer reduced motion", async () => {
    const { page } = await site.openPage("viewer", { reducedMotion: "reduce" });
    for (const path of ["/", "/@writer", "/notifications"]) {
      await page.goto(path);
      await expect.poll(() => page.evaluate(movingElements)).toEqual([]);
    }
  });

  it("pages do not scroll sideways at 320 px, which is 1280 px at 400 %, nor at 200 %", async () => {
    for (const viewport of [
      { width: 320, height: 640 },
      { width: 640, height: 450 },
    ]) {
      const { page, close } = await site.openPage("viewer", { viewport });
      for (const path of ["/", "/@writer", `/tweets/${content.values["id"]}`, "/admin/reports"]) {
        await page.goto(path);
        const wide = "document.documentElement.scrollWidth";
        expect([path, await page.evaluate<number>(wide)]).toEqual([path, viewport.width]);
      }
      await close();
    }
  });
});

const isSmall = (shift: number) => shift <= mostShift;

/** The cumulative layout shift of a page so far. */
async function shiftOf(page: Page): Promise<number> {
  return await page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0;
    const add = (entries) => { for (const one of entries) if (!one.hadRecentInput) sum += one.value; };
    new PerformanceObserver((list) => add(list.getEntries())).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(sum), 100);
  })`);
}

const movingElements = `[...document.querySelectorAll("*")]
  .filter((one) => {
    const { transitionDuration, animationName, animationDuration } = getComputedStyle(one);
    const isLong = (durations) => durations.split(",").some((each) => parseFloat(each) > 0.01);
    return isLong(transitionDuration) || (animationName !== "none" && isLong(animationDuration));
  })
  .map((one) => one.outerHTML.slice(0, 80))`;
