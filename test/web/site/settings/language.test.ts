import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { cookiesIn } from "../../../support/inspect/cookies.ts";
import { alertsOn, hiddenFields } from "../../../support/inspect/page.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const settings = "/settings/language";

/** The language that a page is in. */
const languageOf = (page: string) => /<html lang="([^"]*)"/.exec(page)?.[1];

describe("choosing a language", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const chosenBy = async (name: string) => (await getUserByName(world.ctx, name)).language;

  describe("while signed out", () => {
    it("a footer button on each page selects each language by its own name", async () => {
      for (const path of ["/", "/about", "/login", "/nowhere"]) {
        const { text } = await world.visitor().get(path);
        expect(buttonsOn(text)).toEqual([
          { tag: "en", name: "English", lang: "en", pressed: "true" },
          { tag: "ja", name: "日本語", lang: "ja", pressed: "false" },
        ]);
      }
    });

    it("a footer language button leads back to its page, now in that language", async () => {
      const visitor = world.visitor();
      const path = "/explore?before=1794778235528319&x=1";
      const fields = hiddenFields((await visitor.get(path)).text, "/language");
      const answer = await visitor.post("/language", { ...fields, language: "ja" }).expect(303);
      expect(answer.headers["location"]).toBe(path);
      for (const next of [path, "/about", "/login"]) {
        const { text } = await visitor.get(next);
        expect(languageOf(text)).toBe("ja");
        expect(buttonsOn(text).map(({ pressed }) => pressed)).toEqual(["false", "true"]);
      }
      await visitor.post("/language", { language: "en" }).expect(303);
      expect(languageOf((await visitor.get(path)).text)).toBe("en");
    });

    it("a visitor's language is kept for a year in a cookie with no other content", async () => {
      const visitor = world.visitor();
      const answer = await visitor.post("/language", { language: "ja" }).expect(303);
      expect(answer.headers["location"]).toBe("/");
      const [cookie = "", ...others] = cookiesIn(answer);
      expect(others).toEqual([]);
      expect(cookie).toMatch(/^language=ja; Max-Age=31536000; Path=\/;.* HttpOnly; SameSite=Lax$/);
    });

    it("a visitor can return to the browser's language", async () => {
      const visitor = world.visitor();
      await visitor.post("/language", { language: "ja" }).expect(303);
      const answer = await visitor.post("/language", { language: "" }).expect(303);
      expect(cookiesIn(answer)).toEqual([expect.stringMatching(/^language=;.*1970/)]);
      expect(languageOf((await visitor.get("/")).text)).toBe("en");
    });

    it.each(["fr", "JA", "__proto__", "ja\r\nX-Injected: 1", "a".repeat(9000)])(
      "an unsupported language of a visitor is refused: %j",
      async (language) => {
        const answer = await world.visitor().post("/language", { language }).expect(422);
        expect(cookiesIn(answer)).toEqual([]);
        expect(languageOf(answer.text)).toBe("en");
      },
    );

    it("choosing a language leads to no other site", async () => {
      for (const next of ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere"]) {
        const answer = await world.visitor().post("/language", { language: "ja", next });
        expect([answer.status, answer.headers["location"]]).toEqual([303, "/"]);
      }
    });

    it("a visitor has no settings page for the language", async () => {
      const answer = await world.visitor().get(settings).expect(303);
      expect(answer.headers["location"]).toBe("/login?next=%2Fsettings%2Flanguage");
    });
  });

  describe("in the settings", () => {
    it("the language settings offer the browser's language, then each by its own name", async () => {
      const person = await world.newcomer("offered");
      const { text } = await person.get(settings).expect(200);
      expect(choicesOn(text)).toEqual([
        { value: "", label: "Same as my browser", lang: undefined, checked: true },
        { value: "en", label: "English", lang: "en", checked: false },
        { value: "ja", label: "日本語", lang: "ja", checked: false },
      ]);
      expect(text).toMatch(/href="\/settings\/language" aria-current="page"/);
      expect(buttonsOn(text)).toEqual([]);
    });

    it("a saved language answers in the new language, and is kept with the account", async () => {
      const person = await world.newcomer("chooser");
      const answer = await choose(person, "ja");
      expect(answer.status).toBe(303);
      expect(answer.headers["location"]).toBe(`${settings}?saved`);
      expect(cookiesIn(answer).filter((cookie) => cookie.startsWith("language="))).toEqual([]);
      const { text } = await person.get(`${settings}?saved`).expect(200);
      expect(text).toMatch(/role="status"[^>]*>言語を保存しました。</);
      expect(choicesOn(text).find(({ checked }) => checked)?.value).toBe("ja");

      const elsewhere = world.visitor();
      await elsewhere.logIn("chooser");
      expect(languageOf((await elsewhere.get("/")).text)).toBe("ja");

      await choose(person, "en");
      const again = await person.get(`${settings}?saved`).expect(200);
      expect(again.text).toMatch(/role="status"[^>]*>Your language is saved\.</);
    });

    it("a user can return to the browser's language", async () => {
      const person = await world.newcomer("fickle");
      await choose(person, "ja");
      await choose(person, "");
      expect(await chosenBy("fickle")).toBe("");
      const { text } = await person.get(settings).set("Accept-Language", "en").expect(200);
      expect(languageOf(text)).toBe("en");
      expect(choicesOn(text).find(({ checked }) => checked)?.value).toBe("");
    });

    it.each(["fr", "EN", "constructor"])(
      "an unsupported language in the settings is refused beside the field: %s",
      async (language) => {
        const person = await world.newcomer(`w_${language}`);
        await choose(person, "ja");
        const refused = await choose(person, language);
        expect(refused.status).toBe(422);
        expect(alertsOn(refused.text)).toHaveLength(1);
        expect(refused.text).toMatch(/<fieldset[^>]* aria-describedby="language-error"/);
        expect(refused.text).toMatch(/id="language-error" role="alert"/);
        expect(hiddenFields(refused.text, "/language")).toEqual({ next: `${settings}?saved` });
        expect(choicesOn(refused.text).find(({ checked }) => checked)?.value).toBe("ja");
        expect(await chosenBy(`w_${language}`)).toBe("ja");
      },
    );

    it("language settings without a choice are refused beside the field", async () => {
      const person = await world.newcomer("undecided");
      const refused = await person.post("/language", {}).expect(422);
      expect(alertsOn(refused.text)).toEqual(["Please fill in this field."]);
    });
  });
});

/** Chooses on the page, as a browser does. */
async function choose(person: Visitor, language: string) {
  const fields = hiddenFields((await person.get(settings).expect(200)).text, "/language");
  return await person.post("/language", { ...fields, language });
}

/** The buttons of the footer. */
function buttonsOn(page: string) {
  const footer = /<footer.*<\/footer>/s.exec(page)?.[0] ?? "";
  return [...footer.matchAll(/(<button[^>]*name="language"[^>]*>)([^<]*)/g)].map(
    ([, button = "", name = ""]) => ({
      tag: attributeOf(button, "value"),
      name,
      lang: attributeOf(button, "lang"),
      pressed: attributeOf(button, "aria-pressed"),
    }),
  );
}

/** The languages that the page of the settings offers. */
function choicesOn(page: string) {
  const choices = page.matchAll(
    /(<label class="choice"[^>]*>)(<input[^>]*name="language"[^>]*>)([^<]*)/g,
  );
  return [...choices].map(([, label = "", input = "", name = ""]) => ({
    value: attributeOf(input, "value"),
    label: name,
    lang: attributeOf(label, "lang"),
    checked: / checked/.test(input),
  }));
}

function attributeOf(tag: string, name: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
}
