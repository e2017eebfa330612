import { describe, expect, it } from "vitest";
import { type ForeignTweet, linkNames, toLines } from "../../../src/domain/archives/archive.ts";
import { textOfHtml } from "../../../src/domain/archives/html-text.ts";
import { fastest, growth } from "../../support/inspect/growth.ts";
import { turnsOfOthers } from "../../support/inspect/turns-of-others.ts";

const addressOf = (name: string) => `https://x.com/${name}`;

/** Milliseconds to read a post. */
const read = (html: string) => fastest(() => textOfHtml(html, ({ href }) => href));

/** As many tweets with these words. */
async function* tweets(count: number, words: Partial<ForeignTweet>): AsyncGenerator<ForeignTweet> {
  for (let nth = 0; nth < count; nth += 1)
    yield await Promise.resolve({ id: String(nth), createdAt: nth, text: "", ...words });
}

describe("hostile tweets of an archive", () => {
  it("linking names takes time proportional to their number", () => {
    expect(growth("@a ", (text) => linkNames(text, addressOf))).toBeLessThan(10);
  });

  it("a tag with an endless name is read as fast as text", () => {
    const name = "a".repeat(100_000);
    expect(read(`<${name}`) / Math.max(read(name), 2)).toBeLessThan(20);
    expect(textOfHtml(`<b>1</b><${name}`, () => "")).toBe(`1<${name}`);
  });

  it("others have their turn while few tweets with long texts are cut into threads", async () => {
    const text = "words ".repeat(8000);
    expect(await turnsOfOthers(() => toLines(tweets(30, { text })))).toBeGreaterThan(5);
  });
});
