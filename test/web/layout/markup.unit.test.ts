import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, escapeMarkup, fitXml, markUp, presentText } from "../../../src/web/layout/text.ts";
import { hostileTexts } from "../../support/data/hostile-texts.ts";
import { parseXml } from "../../support/inspect/xml.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom(..."]]><&\"'!-[CDATA\uD800\uDC00\uFFFE\0\n\r ") }),
  fc.constantFrom(...hostileTexts),
);
/** A parser reads every line end as "\n", and every white space in an attribute as a space. */
const ends = (raw: string) => raw.replaceAll(/\r\n?/g, "\n");

describe("markup for other programs", () => {
  it("markup for other programs escapes text in elements, attributes and CDATA", () => {
    fc.assert(
      fc.property(text, (raw) => {
        const escaped = escapeMarkup(raw);
        const xml = `<a b="${escaped}">${escaped}<c><![CDATA[${escaped}]]></c></a>`;
        const { attributes, text: content, children } = parseXml(xml);
        expect(content).toBe(ends(fitXml(raw)));
        expect(attributes["b"]).toBe(ends(fitXml(raw)).replaceAll(/[\t\n]/g, " "));
        expect(children[0]?.text).toBe(ends(escaped));
      }),
    );
  });

  it("markup for other programs has links and no other element", () => {
    fc.assert(
      fc.property(text, (raw) => {
        const html = markUp(presentText(raw), "https://suzume.example");
        const { children } = parseXml(`<p>${html}</p>`);
        for (const { name, attributes } of children)
          expect(`${name} ${attributes["href"] ?? ""}`).toMatch(/^(?:br |a https?:\/\/.*)$/s);
      }),
    );
  });
});

describe("an excerpt", () => {
  it("an excerpt is one line of limited length, as a reader counts it", () => {
    expect(clip("a\n b\t c", 10)).toBe("a b c");
    expect(clip("abcdef", 6)).toBe("abcdef");
    expect(clip("abc defg", 4)).toBe("abc…");
    expect(clip("👨‍👩‍👧".repeat(3), 3)).toBe("👨‍👩‍👧".repeat(3));
    expect(clip("👨‍👩‍👧".repeat(4), 3)).toBe(`${"👨‍👩‍👧".repeat(3)}…`);
  });
});
