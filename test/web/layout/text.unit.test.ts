import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tweetId } from "../../../src/domain/ids.ts";
import { presentText, withoutQuoteLink } from "../../../src/web/layout/text.ts";
import { growth } from "../../support/inspect/growth.ts";
import { runs } from "../../support/models/property-runs.ts";

describe("the text of a tweet", () => {
  it("http(s) addresses in a tweet become links", () => {
    expect(presentText("see https://www.example.org/a?b=1#c, or not")).toEqual([
      { text: "see " },
      { text: "example.org/a?b=1#c", href: "https://www.example.org/a?b=1#c", outward: true },
      { text: ", or not" },
    ]);
    expect(presentText("HTTP://EXAMPLE.ORG")).toMatchObject([{ href: "HTTP://EXAMPLE.ORG" }]);
  });

  it.each([
    "javascript:alert(1)",
    "javascript://example.org/%0Aalert(1)",
    "data:text/html,x",
    "vbscript:x",
    "ftp://example.org",
    "mailto:a@example.org",
    "a@example.org",
    "//example.org",
    "www.example.org",
    "file:///etc/passwd",
    "https:evil.example",
    "http://user:pw@example.org",
    "https://example.com@example.org/",
  ])("a tweet stays plain where it says %s", (text) => {
    expect(presentText(text)).toEqual([{ text }]);
  });

  it.each([
    ["so true https://a.example/tweets/7", "so true"],
    ["so true\n\nhttps://a.example/tweets/7?from=app", "so true"],
    ["https://a.example/tweets/7", ""],
    ["#tag https://a.example/tweets/7", "#tag"],
    ["https://a.example/tweets/7 says it", "a.example/tweets/7 says it"],
    ["https://a.example/tweets/8", "a.example/tweets/8"],
    [
      "https://a.example/tweets/7 https://evil.example/tweets/7",
      "a.example/tweets/7 evil.example/tweets/7",
    ],
  ])("the link at the end to a quoted tweet is not shown: %j", (text, shown) => {
    const parts = withoutQuoteLink(presentText(text), tweetId(7));
    expect(parts.map((part) => part.text).join("")).toBe(shown);
  });

  it("a long address is shortened, its target is not", () => {
    const address = `https://example.org/${"a".repeat(200)}`;
    const [part] = presentText(address);
    expect(part?.href).toBe(address);
    expect([...(part?.text ?? "")]).toHaveLength(41);
  });

  const word = fc.constantFrom(
    ..."http:// https:// HTTPS:// javascript: ftp:// mailto: a@ www. // example.org 雀.jp".split(
      " ",
    ),
    ..."\\@:/.\"'<>&() \n#?%\0",
  );
  const hostile = fc.array(word, { maxLength: 30 }).map((words) => words.join(""));
  const anything = fc.oneof(hostile, fc.string({ unit: "binary" }), fc.webUrl());

  it("a tweet links only to http(s), for any text", () => {
    fc.assert(
      fc.property(anything, (text) => {
        for (const { href, outward } of presentText(text)) {
          if (href === undefined) continue;
          expect(href).toMatch(outward === true ? /^https?:\/\//i : /^\/tags\/[^/?#\\]+$/);
          const { protocol } = new URL(href, "https://here.example");
          expect(protocol).toMatch(/^https?:$/);
        }
      }),
      runs(2000),
    );
  });

  it("a tweet keeps every word in its place, for any text", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const pattern = presentText(text).map((part) =>
          part.outward === true ? "https?:[^]*?" : literally(part.text),
        );
        expect(text).toMatch(new RegExp(`^${pattern.join("")}$`, "i"));
      }),
      runs(1000),
    );
  });

  it("a tweet without an address stays whole", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (raw) => {
        const text = raw.replaceAll(":", "");
        expect(
          presentText(text)
            .map((part) => part.text)
            .join(""),
        ).toBe(text);
      }),
    );
  });

  it.each([
    ["scheme after scheme", "http://"],
    ["dots", "http://a."],
    ["brackets", "http://x/("],
    ["closing brackets", "http://x/)"],
    ["quotes", `http://x/"'`],
    ["colons", "a:"],
    ["slashes", "/"],
    ["at signs", "http://a@"],
    ["dashes", "-"],
    ["one address after another", "https://example.org/ "],
    ["full stops", "https://example.org/..."],
  ])("rendering a tweet takes time proportional to its length: %s", (_, unit) => {
    expect(growth(unit, presentText)).toBeLessThan(10);
  });
});

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
