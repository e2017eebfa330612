import { describe, expect, it } from "vitest";
import { parseTweetId, tweetId, userId } from "../../src/domain/ids.ts";

const noIds = [
  "",
  "0",
  "01",
  "-1",
  "+1",
  "1.0",
  "1e3",
  " 1",
  "1\n",
  "١",
  "0x1",
  "9".repeat(16),
  "floor",
];

describe("ids", () => {
  it.each(["1", "42", "9".repeat(15)])("ids are decimal numbers such as %s", (id) => {
    expect(parseTweetId(id)).toBe(id);
    expect(tweetId(id)).toBe(id);
    expect(userId(Number(id))).toBe(id);
  });

  it.each(noIds)("an id is not spelled %j", (text) => {
    expect(parseTweetId(text)).toBeUndefined();
    expect(() => tweetId(text)).toThrow(TypeError);
    expect(() => userId(text)).toThrow("not an id");
  });

  it.each([0, -1, 1.5, NaN, Infinity, 1e15])("an id is not the number %d", (number) => {
    expect(() => userId(number)).toThrow(TypeError);
  });
});
