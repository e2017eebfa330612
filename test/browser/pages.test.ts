import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { picture } from "../support/data/pictures.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { addSampleContent, type SampleContent } from "../support/world/sample-content.ts";
import { fill, routesOf } from "../support/world/routes.ts";

/** What comes with a query, and what is missing. */
const further = [
  "/search?q=seeds",
  "/search?q=zzz",
  "/search?q=w&people=1",
  "/nowhere",
  "/explore?before=9999999999999999",
];

/** The least contrast that an accent may have, and all else that a site shows of itself. */
const branding = {
  signUp: "open",
  read: "public",
  name: "Bean Club of the Lower Valley",
  tagline: "Beans for all",
  description: "We grow beans.\n\nSee https://beans.example/",
  rules: "Be kind.",
  accent: "#767200",
  announcement: "Closed on Sunday, see https://beans.example/",
};

const desk = { width: 1280, height: 720 };
const tablet = { width: 768, height: 1024 };
/** In the page. */
const isTooWide = "document.documentElement.scrollWidth > innerWidth";

describe("every page", () => {
  let site: BrowserSite;
  let content: SampleContent;
  beforeAll(async () => {
    // No mail is sent; its pages are there.
    const mail = { smtpUrl: "smtp://127.0.0.1:9", mailFrom: "site@example.org" };
    site = await openSite({ admins: ["viewer"], ...mail });
    content = await addSampleContent(site.world);
    const admin = site.world.visitor();
    await admin.logIn("viewer");
    await admin.post("/admin/site", branding).expect(303);
    const logo = await picture("png");
    await admin.agent.post("/admin/site/logo").attach("logo", logo, "l.png").expect(303);
  });
  afterAll(() => site.close());

  for (const [name, locale] of [
    ["viewer", "ja-JP"],
    [undefined, "en-GB"],
  ] as const)
    it(
      `every page works, has no accessibility problems and fits a tablet, signed ${name === undefined ? "out" : "in"}, ${locale}`,
      { timeout: 300_000 },
      async () => {
        const paths = await pagesFor(site, content, name);
        expect(paths.length).toBeGreaterThan(name === undefined ? 15 : 35);
        const { page, problems, close } = await site.openPage(name, {
          locale,
          reducedMotion: "reduce",
        });
        const found: string[] = [];
        for (const path of paths) {
          await page.goto(path);
          found.push(...(await findAccessibilityProblems(page, path)));
          await page.setViewportSize(tablet);
          if (await page.evaluate<boolean>(isTooWide)) found.push(`${path} is wider than a tablet`);
          await page.setViewportSize(desk);
        }
        await close();
        expect(found).toEqual([]);
        expect(problems).toEqual([]);
      },
    );
});

/** Every address that a GET shows as a page: what leads elsewhere or is a file is none. */
async function pagesFor(site: BrowserSite, { values, authorize }: SampleContent, name?: string) {
  const visitor = site.world.visitor();
  if (name !== undefined) await visitor.logIn(name);
  const routes = routesOf(site.world.app).filter(({ method }) => method === "get");
  // Completions are a part of a page.
  const whole = routes.filter(({ path }) => path !== "/search/completions");
  const paths = whole.map(({ path }) => fill(path, values));
  const pages: string[] = [];
  const [own] = name === undefined ? [] : await visitor.see(`/@${name}`);
  const editing = own === undefined ? [] : [`/tweets/${own.id}/edit`];
  for (const path of new Set([...paths, "/@viewer", authorize, ...editing, ...further])) {
    const { headers } = await visitor.get(path);
    if (headers["location"] === undefined && headers["content-type"]?.startsWith("text/html"))
      pages.push(path);
  }
  return pages;
}
