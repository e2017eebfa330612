import { describe, expect, it } from "vitest";
import { profileFields } from "../../../src/domain/profile-fields.ts";
import { readLanguages, scriptWords } from "../../../src/web/languages/translator.ts";
import { keysIn, patternsIn, readSources, usesOf } from "./message-uses.ts";
import {
  choicesOf,
  hasWords,
  missingPlurals,
  parseMessage,
  placesOf,
  readMessages,
} from "../../support/data/messages.ts";

const languages = readMessages();
const english = languages.get("en") ?? {};
const others = [...languages].filter(([language]) => language !== "en");

/** What another language says as English does, and why. */
const alike: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ja: {
    "api.title": "It is called so in Japanese, too.",
    "numbers.gigabytes": "A unit.",
    "numbers.kilobytes": "A unit.",
    "numbers.megabytes": "A unit.",
  },
};

describe("the messages in English", () => {
  it("English messages are valid ICU messages, none of them empty", () => {
    expect(Object.keys(english).length).toBeGreaterThan(100);
    for (const [key, message] of Object.entries(english)) {
      expect([key, message.trim()]).toEqual([key, message]);
      expect([key, parseMessage(message, "en").length]).not.toEqual([key, 0]);
    }
  });

  it("English messages are all in use", () => {
    const sources = [
      readSources("src", ".ts"),
      readSources("views", ".pug"),
      readSources("public/js", ".js"),
      // Made of the name of a field.
      ...Object.keys(profileFields).map((field) => `"${field}.long"`),
    ];
    const isUsed = usesOf(sources.join("\n"));
    expect(Object.keys(english).filter((key) => !isUsed(key))).toEqual([]);
  });

  it("English messages cover all that templates ask for", () => {
    const source = readSources("views", ".pug");
    const areas = new Set(Object.keys(english).map((key) => key.split(".")[0]));
    const asked = keysIn(source).filter((key) => areas.has(key.split(".")[0]));
    const said = [...source.matchAll(/\bt\(\s*["'`]([^"'`$]*)["'`]/g)].map(([, key = ""]) => key);
    expect(said.length).toBeGreaterThan(5);
    expect([...asked, ...said].filter((key) => !Object.hasOwn(english, key))).toEqual([]);
    for (const pattern of patternsIn(source))
      expect(Object.keys(english)).toContainEqual(expect.stringMatching(pattern));
  });

  it("a page carries exactly the messages that its script uses", () => {
    const given = Object.keys(JSON.parse(scriptWords(readLanguages().words("en"))) as object);
    const source = readSources("public/js", ".js");
    const said = [...source.matchAll(/\bwords\.t\(\s*["'`]([^"'`$]*)["'`]/g)].map(
      ([, key = ""]) => key,
    );
    expect(said.length).toBeGreaterThan(5);
    expect(
      [...said, ...keysIn(source).filter((key) => Object.hasOwn(english, key))].filter(
        (key) => !given.includes(key),
      ),
    ).toEqual([]);
    // The script brings along what tells the time.
    const isUsed = usesOf(source + readSources("src/web/layout", ".ts"));
    expect(given.filter((key) => !isUsed(key))).toEqual([]);
  });
});

describe.each(others)("the messages in %s", (language, messages) => {
  it("messages of a language have a language that Intl knows, and its own name", () => {
    expect(Intl.getCanonicalLocales(language)).toEqual([language]);
    expect(Intl.PluralRules.supportedLocalesOf(language)).toEqual([language]);
  });

  it("messages of a language have the keys of English, in the same order", () => {
    expect(Object.keys(messages)).toEqual(Object.keys(english));
  });

  it("messages of a language have the arguments and choices of English", () => {
    for (const [key, message] of Object.entries(messages)) {
      const own = parseMessage(message, language);
      const theirs = parseMessage(english[key] ?? "", "en");
      expect([key, ...placesOf(own)]).toEqual([key, ...placesOf(theirs)]);
      expect([key, ...choicesOf(own)]).toEqual([key, ...choicesOf(theirs)]);
    }
  });

  it("messages of a language are translated, except those listed with a reason", () => {
    const listed = alike[language] ?? {};
    const same = Object.entries(messages)
      .filter(([key, message]) => message === english[key])
      .filter(([, message]) => hasWords(parseMessage(message, language)))
      .map(([key]) => key);
    expect(same.toSorted()).toEqual(Object.keys(listed).toSorted());
  });
});

describe.each([...languages])("the plurals in %s", (language, messages) => {
  it("plurals of a language have a form for every category of the language", () => {
    const lacking = Object.entries(messages)
      .map(([key, message]) => [key, ...missingPlurals(parseMessage(message, language), language)])
      .filter(([, ...missing]) => missing.length > 0);
    expect(lacking).toEqual([]);
  });
});

it("apostrophes of English messages are curly", () => {
  const texts = Object.values(english);
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((text) => text.includes("'"))).toEqual([]);
});

describe("the gap check", () => {
  it("the gap check reads arguments, choices and plurals", () => {
    const text = "{a} {n, plural, one {# x} other {{b}}} {s, select, y {{c}} other {}}";
    const message = parseMessage(text, "en");
    expect(placesOf(message)).toEqual(["a", "b", "c", "n", "s"]);
    expect(choicesOf(message)).toEqual(["s=other", "s=y"]);
    expect(missingPlurals(message, "en")).toEqual([]);
    expect(missingPlurals(message, "pl")).toEqual(["few", "many"]);
    expect([text, "{a} · Suzume"].map((one) => hasWords(parseMessage(one, "en")))).toEqual([
      true,
      false,
    ]);
  });

  it("the gap check reads which messages a source uses", () => {
    const isUsed = usesOf('t("a.b"); t(`c.${x}.d`); const x = "e"; enum = { f: 1 }; 404');
    const keys = ["a.b", "a.c", "c.e.d", "c.f.d", "c.404.d", "c.g.d"];
    expect(keys.filter(isUsed)).toEqual(["a.b", "c.e.d", "c.f.d", "c.404.d"]);
  });
});
