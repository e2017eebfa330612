import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isForMachines } from "../../../src/web/request/reader.ts";
import { exportFileWith } from "../../support/data/account-files.ts";
import { addSampleContent, type SampleContent } from "../../support/world/sample-content.ts";
import { pseudo, pseudoLanguages } from "../../support/data/pseudo-language.ts";
import { fill, routesOf } from "../../support/world/routes.ts";
import { untranslated } from "../../support/inspect/untranslated.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

/** An admin, a user who has blocked, one who was blocked and reported, one with nothing, a visitor. */
const readers = ["viewer", "writer", "spammer", "lonely", undefined];

/** What comes with a query, and what is missing. */
const further = [
  "/@viewer",
  "/@spammer",
  "/@spammer/likes",
  "/@villain",
  "/@lonely",
  "/@lonely/likes",
  "/@lonely/followers",
  "/@lonely/followings",
  "/search?q=seeds",
  "/search?q=zzz",
  "/search?q=zzz&in=mine",
  "/search?q=%23birds&in=following",
  "/search?q=@wri&people=1",
  "/search?q=zzz&people=1",
  "/nowhere",
  "/tweets/999999",
  "/explore?before=9999999999999999",
  "/settings/profile?saved",
  "/settings/account?saved",
  "/settings/account/recovery?next=/",
  "/login?again&changed",
  "/forgot?sent",
  "/settings/sessions?saved",
  "/settings/muted?saved",
  "/tags/nobodys",
  "/%E0%A4%A",
];
/** Would end the session, or an account that other tests of this file need; or is not refused to new users. */
const recovery = "/settings/account/recovery";
const leaving = new Set(["/logout", "/settings/sessions", recovery, "/language"]);

const form = "application/x-www-form-urlencoded";
const long = "a".repeat(600);
const badForms: Record<string, string>[] = [
  {},
  {
    name: long,
    account: long,
    address: "no address",
    recovery_code: "no code",
    fullname: long,
    password: "short",
    current_password: "wrong",
    new_password: "short",
    bio: long,
    website: "no address",
    text: long,
    word: long,
    comment: long,
    note: long,
    reason: "other",
    duration: "week",
    verb: "suspend",
  },
  { name: "nobody_there", password: "correct horse 41", word: " ", reason: "none", verb: "none" },
  { name: "admin", fullname: "A", password: "password", text: " " },
];

describe("the pseudo-language", () => {
  let world: World;
  let content: SampleContent;
  beforeAll(async () => {
    // No mail is sent; its pages are there.
    const mail = { smtpUrl: "smtp://127.0.0.1:9", mailFrom: "site@example.org" };
    const settings = { admins: ["viewer"], ...mail };
    world = await createWorld(settings, { languages: pseudoLanguages() });
    content = await addSampleContent(world);
    await world.newcomer("lonely");
    const writer = await come("writer");
    const file = exportFileWith({ follow: ["lonely", "nobody"] });
    await writer.import(file);
  });
  afterAll(() => world.close());

  const come = async (name?: string) => {
    const visitor = world.visitor();
    visitor.agent.set("Accept-Language", pseudo);
    if (name !== undefined) await visitor.logIn(name);
    return visitor;
  };
  const pathsOf = (method: "get" | "post") => {
    const pages = routesOf(world.app).filter(({ path }) => !isForMachines(path));
    const routes = pages.filter((route) => route.method === method);
    return [...new Set(routes.map(({ path }) => fill(path, content.values)))];
  };

  it("every text on pages is a message", async () => {
    const paths = [
      ...pathsOf("get").filter((path) => path !== "/live"),
      ...further,
      content.authorize,
    ];
    const said = new Findings();
    for (const name of readers) {
      const visitor = await come(name);
      for (const path of paths) await said.add(`${name} GET ${path}`, visitor.get(path));
    }
    expect(said.pages).toBeGreaterThan(150);
    expect(said.list()).toEqual([]);
  });

  it("every text of a refusal is a message", async () => {
    const said = new Findings();
    for (const name of ["viewer", "spammer", undefined]) {
      const visitor = await come(name);
      for (const path of pathsOf("post").filter((one) => !leaving.has(one)))
        for (const fields of badForms)
          await said.add(`${name} POST ${path}`, visitor.post(path, fields));
      await refuseOtherwise(visitor, said);
    }
    const guess = { name: "viewer", password: "wrong horse 1" };
    for (let times = 0; times <= 10; times += 1)
      await said.add("too often", (await come()).post("/login", guess));
    expect(said.pages).toBeGreaterThan(100);
    expect(said.statuses).toEqual(new Set([400, 403, 404, 413, 422, 429]));
    expect(said.list()).toEqual([]);
  });

  it("the pseudo-language check finds text outside of brackets, and only that", () => {
    expect(untranslated('<p class="a b">⟦One ⟦2⟧⟧ two <b>⟦three⟧</b></p>')).toEqual(["p.a: two"]);
    expect(untranslated('<p>⟦By <a href="/">Somebody</a>⟧</p><p>one</p>')).toEqual(["p: one"]);
    expect(untranslated("<p>⟦One</p><p>two</p>")).toHaveLength(2);
    expect(untranslated('<img alt="One"><input type="text" value="two" title="⟦x">')).toEqual([
      "img alt: One",
      "input title: a message that does not end",
    ]);
    const fine = '<code>a</code><p dir="auto">Typed</p><time>Nov 3, 2024</time> · <b>@bob 3</b>';
    expect(untranslated(fine)).toEqual([]);
  });
});

/** From another site, too large, and in an unknown encoding. */
async function refuseOtherwise(visitor: Visitor, said: Findings): Promise<void> {
  const foreign = visitor.post("/tweets").set("Sec-Fetch-Site", "cross-site");
  await said.add("from another site", foreign);
  await said.add("too much", visitor.post("/tweets", { text: long.repeat(1000) }));
  await said.add(
    "strange letters",
    visitor.agent.post("/tweets").type(`${form}; charset=x-unknown`),
  );
}

/** What was found on pages, each once and with the first of them. */
class Findings {
  pages = 0;
  readonly statuses = new Set<number>();
  readonly #found = new Map<string, string>();

  async add(where: string, asked: PromiseLike<{ status: number; type: string; text: string }>) {
    const { status, type, text } = await asked;
    if (type !== "text/html" || status === 303) return;
    this.pages += 1;
    this.statuses.add(status);
    for (const one of untranslated(text))
      if (!this.#found.has(one)) this.#found.set(one, `${where} ${status}`);
  }

  list(): string[] {
    return [...this.#found].map(([words, where]) => `${where} | ${words}`).toSorted();
  }
}
