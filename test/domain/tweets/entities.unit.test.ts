import { describe, expect, it } from "vitest";
import { foldTag, hashtagsIn, mentionsIn, parseEntities } from "../../../src/domain/tweets/text.ts";

const tag = (text: string, folded: string) => ({ kind: "hashtag", text, tag: folded });
const mention = (text: string, name: string) => ({ kind: "mention", text, name });
const plain = (text: string) => ({ kind: "plain", text });

describe("hashtags", () => {
  it.each([
    ["#birds", "birds"],
    ["#Birds", "birds"],
    ["#日本語", "日本語"],
    ["＃全角", "全角"],
    ["#ＡＢＣ", "abc"],
    ["#العربية", "العربية"],
    ["#می\u200Cخواهم", "می\u200Cخواهم"],
    ["#हिन्दी", "हिन्दी"],
    ["#ไทย", "ไทย"],
    ["#한국어", "한국어"],
    ["#café", "café"],
    ["#cafe\u0301", "café"],
    ["#J\u030C", "\u01F0"],
    ["#2026year", "2026year"],
    ["#_x_1", "_x_1"],
    ["#İstanbul", "i\u0307stanbul"],
  ])("a hashtag may be %s", (text, folded) => {
    expect(parseEntities(text)).toEqual([tag(text, folded)]);
    expect(hashtagsIn(`see ${text}, or not`)).toEqual([folded]);
  });

  it.each([
    "#1",
    "#2026",
    "#_",
    "#",
    "# birds",
    "##birds",
    "a#birds",
    "é#birds",
    "日#birds",
    "&#birds",
    "/#birds",
    "#\u0301",
    "#१२",
    "#🐦",
    // What it is compared by would be several words, or no word.
    "#ﷺ",
    "#a⑴",
    "#a½",
  ])("there is no hashtag in %s", (text) => {
    expect(parseEntities(text)).toEqual([plain(text)]);
    expect(foldTag(text)).toBeUndefined();
  });

  it("a hashtag has at most 50 letters, in any script", () => {
    for (const letter of ["x", "日", "𝒳", "🇦".length > 2 ? "𠮷" : "字"]) {
      expect(hashtagsIn(`#${letter.repeat(50)}`)).toHaveLength(1);
      expect(hashtagsIn(`#${letter.repeat(51)}`)).toEqual([]);
    }
    expect(hashtagsIn(`#${"1".repeat(49)}x`)).toHaveLength(1);
    // Folded, it would have too many.
    expect(hashtagsIn(`#${"İ".repeat(50)}`)).toEqual([]);
  });

  it("a hashtag ends where a word ends", () => {
    expect(parseEntities("🐦#a🐦#b. (#c)#d-#e!")).toEqual([
      plain("🐦"),
      tag("#a", "a"),
      plain("🐦"),
      tag("#b", "b"),
      plain(". ("),
      tag("#c", "c"),
      plain(")"),
      tag("#d", "d"),
      plain("-"),
      tag("#e", "e"),
      plain("!"),
    ]);
    expect(hashtagsIn("#a#b")).toEqual(["a"]);
  });

  it("hashtags are listed once each, in order", () => {
    expect(hashtagsIn("#b #a #B #ｂ #a #c")).toEqual(["b", "a", "c"]);
  });

  it("a hashtag is looked up with and without the sign", () => {
    for (const raw of ["Birds", "#birds", "＃ＢＩＲＤＳ"]) expect(foldTag(raw)).toBe("birds");
    for (const raw of ["", "#", "a b", "a#b", "a/b", "##a", "@a", "1", "x".repeat(51)])
      expect(foldTag(raw)).toBeUndefined();
  });
});

describe("mentions", () => {
  it.each([
    ["@bob", "bob"],
    ["@Bob_1", "bob_1"],
    ["＠bob", "bob"],
    [`@${"x".repeat(15)}`, "x".repeat(15)],
    ["@1", "1"],
  ])("a mention may be %s", (text, name) => {
    expect(parseEntities(text)).toEqual([mention(text, name)]);
    expect(mentionsIn(`(${text}), or not`)).toEqual([name]);
  });

  it.each([
    "@",
    "@ bob",
    "@@bob",
    "bob@",
    "bob@example.org",
    "first.last@example.org",
    "@bob@example.org",
    "a/@bob",
    ".@bob",
    `@${"x".repeat(16)}`,
    "@é",
    // Letters that only look like ours, or become ours in lower case.
    "@\u212Aim",
    "@\u017Fuzume",
  ])("there is no mention in %s", (text) => {
    expect(parseEntities(text)).toEqual([plain(text)]);
  });

  it("a mention ends where a name ends", () => {
    expect(mentionsIn("日@a本🐦@b🐦 @c, @d. @e's @f-@g #h@i @j#k")).toEqual([..."abcdefgj"]);
    expect(mentionsIn("@bobé")).toEqual(["bob"]);
  });

  it("mentions are listed once each, in order", () => {
    expect(mentionsIn("@b @A @B ＠a @c")).toEqual(["b", "a", "c"]);
  });
});

describe("links", () => {
  it.each([
    "https://example.org/#birds",
    "https://example.org/a#b-@bob",
    "https://example.org/@bob",
    "https://example.org/?q=#a&@b",
    "http://example.org/#日本語",
  ])("a link is whole, whatever it contains: %s", (url) => {
    expect(parseEntities(url)).toEqual([{ kind: "link", text: url, url }]);
    expect(parseEntities(`#a ${url} @b`)).toEqual([
      tag("#a", "a"),
      plain(" "),
      { kind: "link", text: url, url },
      plain(" "),
      mention("@b", "b"),
    ]);
  });

  it("a link ends before punctuation", () => {
    const kinds = parseEntities("(https://example.org/a), https://example.org. #x");
    expect(kinds.filter(({ kind }) => kind !== "plain").map(({ text }) => text)).toEqual([
      "https://example.org/a",
      "https://example.org",
      "#x",
    ]);
  });
});
