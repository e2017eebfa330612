import { describe, expect, it } from "vitest";
import { checkWarned } from "../../../src/domain/tweets/text.ts";
import { shownFirst, wordsOf } from "../../../src/domain/tweets/tweet.ts";

describe("the content warning of a tweet", () => {
  it("a warning is one line without white space around it", () => {
    const { text, warning, problems } = checkWarned({
      text: "a ",
      warning: " the\n\nend\u200B  of ",
    });
    expect({ text, warning, problems }).toEqual({ text: "a", warning: "the end of", problems: {} });
  });

  it.each([undefined, "", "  ", "\u200B\u2800"])("%j is no warning", (raw) => {
    expect(checkWarned({ text: "a", warning: raw }).warning).toBeUndefined();
  });

  it("a warning has at most 100 characters as a reader counts them", () => {
    const problemsOf = (warning: string) => checkWarned({ text: "a", warning }).problems;
    expect(problemsOf("👨‍👩‍👧‍👦".repeat(100))).toEqual({});
    expect(problemsOf("雀".repeat(101))).toEqual({ warning: "warning.long" });
  });

  it("text and warning have at most 280 characters together", () => {
    const problemsOf = (letters: number) =>
      checkWarned({ text: "x".repeat(letters), warning: "雀".repeat(20) }).problems;
    expect(problemsOf(260)).toEqual({});
    expect(problemsOf(261)).toEqual({ text: "text.long" });
    expect(checkWarned({ text: "x".repeat(281), warning: "雀".repeat(101) }).problems).toEqual({
      text: "text.long",
      warning: "warning.long",
    });
  });

  it("a warning needs a text or pictures under it", () => {
    expect(checkWarned({ text: "", warning: "alone" }).problems).toEqual({ text: "text.empty" });
    const pictured = checkWarned({ text: "", warning: "alone" }, { mayBeEmpty: true });
    expect(pictured).toEqual({ text: "", warning: "alone", problems: {} });
  });

  it("readers see the warning first; its words and those of the text are the tweet's", () => {
    expect(shownFirst({ text: "a" })).toBe("a");
    expect(shownFirst({ text: "a", warning: "b" })).toBe("b");
    expect(wordsOf({ text: "a" })).toBe("a");
    expect(wordsOf({ text: "a", warning: "b" })).toBe("b\na");
  });
});
