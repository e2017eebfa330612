import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionCookie } from "../../support/inspect/cookies.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("the language of a page", () => {
  let world: World;
  /** Of a user who has chosen none. */
  let open: string;
  /** Of a user who has chosen Japanese, and of one who has chosen English. */
  let japanese: string;
  let english: string;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    open = sessionCookie(await world.visitor().signUp("open"));
    [japanese, english] = [await chooser("ja"), await chooser("en")];
  });
  afterAll(() => world.close());

  async function chooser(language: string): Promise<string> {
    const person = world.visitor();
    const cookie = sessionCookie(await person.signUp(`reads_${language}`));
    await person.post("/language", { language }).expect(303);
    return cookie;
  }

  async function languageOf(
    headers: Record<string, string | undefined>,
    path = "/about",
  ): Promise<string> {
    const asked = request(world.app).get(path);
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) asked.set(name, value);
    const { text } = await asked;
    return /<html lang="([^"]*)"/.exec(text)?.[1] ?? "";
  }

  it.each([
    [undefined, "en"],
    ["ja", "ja"],
    ["ja-JP,ja;q=0.9,en;q=0.8", "ja"],
    ["en-GB,en;q=0.9,ja;q=0.8", "en"],
    ["fr,ja;q=0.2", "ja"],
    ["ja;q=0.3,en;q=0.5", "en"],
    ["ja;q=0,*", "en"],
    ["fr,de;q=0.9", "en"],
    ["*", "en"],
    ["", "en"],
    [";;q=,constructor, ja_JP", "en"],
  ])("the language of a page is what a browser asks for with %s: %s", async (asked, language) => {
    expect(await languageOf({ "Accept-Language": asked })).toBe(language);
  });

  it.each(["ja", "other=1; language=ja", "language=ja; other=1", "a=language=en; language=ja"])(
    "the language of a page is what a visitor chose, whatever the browser asks for: %s",
    async (cookie) => {
      const Cookie = cookie.includes("=") ? cookie : `language=${cookie}`;
      expect(await languageOf({ Cookie, "Accept-Language": "en" })).toBe("ja");
    },
  );

  it.each(["", "fr", "JA", "ja-JP", "ja2", "../ja", "__proto__", "constructor", "%6a%61", '"ja"'])(
    "the language of a page ignores an invalid cookie: %s",
    async (language) => {
      const Cookie = `language=${language}`;
      expect(await languageOf({ Cookie })).toBe("en");
      expect(await languageOf({ Cookie, "Accept-Language": "ja" })).toBe("ja");
    },
  );

  it("the language of a page is the account's choice, whatever cookie and browser say", async () => {
    const headers = { Cookie: `${japanese}; language=en`, "Accept-Language": "en" };
    expect(await languageOf(headers)).toBe("ja");
    const other = { Cookie: `${english}; language=ja`, "Accept-Language": "ja" };
    expect(await languageOf(other)).toBe("en");
  });

  it("without an account's choice the language is the cookie's, then the browser's", async () => {
    expect(await languageOf({ Cookie: `${open}; language=ja`, "Accept-Language": "en" })).toBe(
      "ja",
    );
    expect(await languageOf({ Cookie: open, "Accept-Language": "ja" })).toBe("ja");
    expect(await languageOf({ Cookie: open })).toBe("en");
  });

  it("missing pages and refused forms have the reader's language", async () => {
    expect(await languageOf({ "Accept-Language": "ja" }, "/nowhere")).toBe("ja");
    expect(await languageOf({ Cookie: japanese }, "/nowhere")).toBe("ja");
    const refused = request(world.app).post("/login").type("form").set("Accept-Language", "ja");
    const { text } = await refused.send({ name: "nobody", password: "wrong" }).expect(422);
    expect(text).toContain('<html lang="ja">');
  });

  it.each([
    ["en", "What this site is"],
    ["ja", "このサイトについて"],
  ])("a page declares the language of its words: %s", async (language, heading) => {
    const page = request(world.app).get("/about").set("Accept-Language", language);
    expect((await page).text).toContain(heading);
  });

  it("language-dependent answers say so to caches", async () => {
    const { headers } = await request(world.app).get("/about");
    expect(String(headers["vary"])).toMatch(/\bAccept-Language\b.*\bCookie\b/);
  });
});
