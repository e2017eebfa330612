import { describe, expect, it } from "vitest";
import { type ForeignTweet, linkNames, toLines } from "../../../src/domain/archives/archive.ts";
import { growth } from "../../support/inspect/growth.ts";
import { turnsOfOthers } from "../../support/inspect/turns-of-others.ts";

const addressOf = (name: string) => `https://x.com/${name}`;

/** As many tweets with these words. */
async function* tweets(count: number, words: Partial<ForeignTweet>): AsyncGenerator<ForeignTweet> {
  for (let nth = 0; nth < count; nth += 1)
    yield await Promise.resolve({ id: String(nth), createdAt: nth, text: "", ...words });
}

describe("hostile tweets of an archive", () => {
  it("linking names takes time proportional to their number", () => {
    expect(growth("@a ", (text) => linkNames(text, addressOf))).toBeLessThan(10);
  });

  it("others have their turn while few tweets with long texts are cut into threads", async () => {
    const text = "words ".repeat(8000);
    expect(await turnsOfOthers(() => toLines(tweets(30, { text })))).toBeGreaterThan(5);
  });
});
