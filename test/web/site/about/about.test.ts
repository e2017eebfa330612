import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseXml } from "../../../support/inspect/xml.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("pages about the site", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(
      {
        admins: ["keeper", "notyet"],
        contact: "mailto:keeper@suzume.example",
        sourceUrl: "https://suzume.example/source",
        baseUrl: "https://suzume.example",
      },
      { workers: false },
    );
    await world.newcomer("keeper");
  });
  afterAll(() => world.close());

  const get = (path: string) => request(world.app).get(path);
  const inJapanese = (path: string) => get(path).set("Accept-Language", "ja");

  it("the about page names host and software, and no admin name that is still free", async () => {
    const { text } = await get("/about").expect(200);
    expect(text).toContain("@keeper");
    expect(text).not.toContain("notyet");
    expect(text).toContain('href="mailto:keeper@suzume.example"');
    expect(text).toContain('href="https://suzume.example/source"');
    expect(text).toMatch(/Suzume \(.*\) \d+\.\d+\.\d+/);
    world.ctx.config.showAdmins = false;
    expect((await get("/about")).text).not.toContain("@keeper");
    world.ctx.config.showAdmins = true;
  });

  it("the privacy page says what is stored, and every page links to it", async () => {
    const { text } = await get("/privacy").expect(200);
    expect(text).toMatch(/\b30\s+days/);
    expect(text).toMatch(/\b90\s+days/);
    for (const path of ["/", "/nowhere", "/about"]) {
      const page = (await get(path)).text;
      expect(page).toMatch(/<footer.*href="\/about".*href="\/privacy".*<\/footer>/s);
    }
  });

  it("the about pages are in Japanese with the same links and names", async () => {
    const about = wordsOn((await inJapanese("/about")).text);
    expect(about).toMatch(/お問い合わせ先：keeper@.*Suzume（雀）\d+\.\d+\.\d+は、/);
    const privacy = wordsOn((await inJapanese("/privacy")).text);
    expect(privacy).toContain(
      "いつでもデータを書き出すことも、アカウントを削除することもできます。",
    );
    expect(privacy).toContain("最後にアクセスしてから30日、またはログインから90日で消えます。");
  });

  it("security.txt names a contact, and expires in less than a year", async () => {
    const { text, headers } = await get("/.well-known/security.txt").expect(200);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(text).toMatch(/^Contact: mailto:keeper@suzume\.example$/m);
    expect(text).toMatch(/^Canonical: https:\/\/suzume\.example\/\.well-known\/security\.txt$/m);
    const expires = Date.parse(/^Expires: (\S+)$/m.exec(text)?.[1] ?? "");
    const days = (expires - world.ctx.now()) / 86_400_000;
    expect(days).toBeGreaterThan(90);
    expect(days).toBeLessThan(365);
    expect(headers["set-cookie"]).toBeUndefined();
  });

  it("change-password leads password managers to the form, and no further", async () => {
    const answer = await get("/.well-known/change-password").expect(303);
    expect(answer.headers["location"]).toBe("/settings/account");
    await get(
      "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200",
    ).expect(404);
  });

  it("OpenSearch lets browsers search the site from the address bar", async () => {
    const { text: page } = await get("/");
    expect(page).toContain('type="application/opensearchdescription+xml" href="/opensearch.xml"');
    const { text } = await get("/opensearch.xml").buffer(true).expect(200);
    const root = parseXml(text);
    const urls = root.children.filter(({ name }) => name === "Url");
    expect(urls.map(({ attributes }) => attributes["template"])).toEqual([
      "https://suzume.example/search?q={searchTerms}",
      "https://suzume.example/opensearch.xml",
    ]);
  });

  it.each([
    ["/", "/"],
    ["/explore", "/explore"],
    ["/explore?utm_source=x", "/explore"],
    ["/explore?before=1794778235528319&x=1", "/explore?before=1794778235528319"],
    ["/search?q=a%20b", "/search?q=a+b"],
    ["/@KEEPER", "/@keeper"],
    ["/about", "/about"],
  ])("the page %s names its canonical URL", async (path, canonical) => {
    const { text } = await get(path).expect(200);
    const links = [...text.matchAll(/<link rel="canonical" href="([^"]*)"/g)].map(
      ([, href]) => href,
    );
    expect(links).toEqual([`https://suzume.example${canonical}`]);
  });

  it("the 404 page offers a search and links", async () => {
    const { text } = await get("/nowhere").expect(404);
    expect(text).toMatch(/<form[^>]*role="search"[^>]*action="\/search"/);
    for (const way of ["/", "/explore", "/search?people=1"])
      expect(text.slice(text.indexOf("<main"))).toContain(`href="${way}"`);
    expect(text).not.toContain('rel="canonical"');
  });
});

/** What a page says, without its tags. */
function wordsOn(page: string): string {
  return page.replaceAll(/<[^>]*>/g, "");
}
