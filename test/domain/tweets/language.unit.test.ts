import { describe, expect, it } from "vitest";
import { Invalid } from "../../../src/domain/errors.ts";
import { acceptLanguage } from "../../../src/domain/tweets/text.ts";

describe("the language of a tweet", () => {
  it.each([
    ["ja", "ja"],
    ["EN", "en"],
    ["jpn", "ja"],
    ["ast", "ast"],
    ["pt-br", "pt-BR"],
    ["en_US", "en-US"],
    ["zh-hant", "zh-Hant"],
    ["es-419", "es-419"],
    ["zh-YUE", "yue"],
    [" ja ", "ja"],
  ])("the tag %j is kept as %j", (typed, kept) => {
    expect(acceptLanguage(typed)).toBe(kept);
  });

  it("without a tag it stays as it was, and the tag of no language takes it away", () => {
    for (const typed of [undefined, "", " "]) {
      expect(acceptLanguage(typed)).toBeUndefined();
      expect(acceptLanguage(typed, "ja")).toBe("ja");
    }
    for (const typed of ["und", "UND"]) expect(acceptLanguage(typed, "ja")).toBeUndefined();
  });

  it.each([
    "English",
    "j",
    "日本語",
    "en-",
    "en-x",
    "ja-Jpan-JP",
    "en-123456789",
    "12",
    "en-1",
    '"',
  ])("what is no tag is refused: %j", (typed) => {
    expect(() => acceptLanguage(typed)).toThrow(Invalid);
  });
});
