import { describe, expect, it } from "vitest";
import { checkWarned } from "../../../src/domain/tweets/text.ts";
import { shownFirst, wordsOf } from "../../../src/domain/tweets/tweet.ts";

const problemsOf = (text: string, warning: string) => checkWarned({ text, warning }).problems;

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
    expect(problemsOf("a", "👨‍👩‍👧‍👦".repeat(100))).toEqual({});
    expect(problemsOf("a", "雀".repeat(101))).toEqual({ warning: "warning.long" });
  });

  it("text and warning have at most 280 characters together", () => {
    expect(problemsOf("x".repeat(260), "雀".repeat(20))).toEqual({});
    expect(problemsOf("x".repeat(261), "雀".repeat(20))).toEqual({ text: "text.long" });
    expect(problemsOf("x".repeat(281), "雀".repeat(101))).toEqual({
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
