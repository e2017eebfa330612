import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserSite, openSite } from "../support/browser-site.ts";
import { furnish, type Furnished } from "../support/furnished.ts";
import { fill, routesOf } from "../support/routes.ts";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** What is used of axe's answer. */
interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[];
}

const viewports = [
  { width: 1280, height: 900 },
  { width: 360, height: 780 },
];
/** What comes with a query, and what is missing. */
const further = [
  "/search?q=seeds",
  "/search?q=zzz",
  "/search?q=w&people=1",
  "/nowhere",
  "/explore?before=9999999999999999",
];

describe("every page", () => {
  let site: BrowserSite;
  let furnished: Furnished;
  beforeAll(async () => {
    site = await openSite({ admins: ["viewer"] });
    furnished = await furnish(site.world);
  });
  afterAll(() => site.close());

  for (const name of ["viewer", undefined])
    it(`is sound for somebody signed ${name === undefined ? "out" : "in"}`, async () => {
      const paths = await pagesFor(site, furnished, name);
      expect(paths.length).toBeGreaterThan(name === undefined ? 15 : 35);
      const { page, troubles, close } = await site.window(name, { reducedMotion: "reduce" });
      const found: string[] = [];
      for (const path of paths) {
        await page.goto(path);
        found.push(...(await inspect(page, path)));
      }
      await close();
      expect(found).toEqual([]);
      expect(troubles).toEqual([]);
    });
});

/** Every address that a GET shows as a page: what leads elsewhere or is a file is none. */
async function pagesFor(site: BrowserSite, { values, authorize }: Furnished, name?: string) {
  const visitor = site.world.visitor();
  if (name !== undefined) await visitor.logIn(name);
  const routes = routesOf(site.world.app).filter(({ method }) => method === "get");
  const paths = routes.map(({ path }) => fill(path, values));
  const pages: string[] = [];
  for (const path of new Set([...paths, "/@viewer", authorize, ...further])) {
    const { headers } = await visitor.get(path);
    if (headers["location"] === undefined && headers["content-type"]?.startsWith("text/html"))
      pages.push(path);
  }
  return pages;
}

/** What axe finds at each width, in the light and in the dark. */
async function inspect(page: Page, path: string): Promise<string[]> {
  await new AxeBuilder({ page }).setLegacyMode().withRules("html-has-lang").analyze();
  const found: string[] = [];
  for (const viewport of viewports) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme: "light" });
    found.push(...(await axe(page, { type: "tag", values: tags }, `${path} ${viewport.width}`)));
    await page.emulateMedia({ colorScheme: "dark" });
    // Colours are all that the theme changes.
    const contrast = { type: "rule", values: ["color-contrast"] };
    found.push(...(await axe(page, contrast, `${path} ${viewport.width} dark`)));
  }
  return found;
}

/** Runs the axe that AxeBuilder has left in the page: to bring it along each time takes longer than its work. */
async function axe(page: Page, runOnly: object, where: string): Promise<string[]> {
  const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.map(
    ({ id, nodes }) =>
      `${where}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
  );
}
