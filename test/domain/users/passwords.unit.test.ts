import { dictionary } from "@zxcvbn-ts/language-common";
import { describe, expect, it } from "vitest";
import { fastest } from "../../support/inspect/growth.ts";
import {
  checkPassword,
  hashPassword,
  passwordProblem,
} from "../../../src/domain/users/passwords.ts";

const cost = 4;

describe("a password", () => {
  it.each([
    ["eight characters", "k7wq2mzd"],
    ["72 bytes", "a1".repeat(36)],
    ["24 characters of 3 bytes", "雀の子遊べ".repeat(5).slice(0, 24)],
    ["words of Japanese", "すずめと朝ごはん"],
    ["a common word beside others", "sunshine over rooftops"],
    ["8 characters beyond the first plane", "🐦🐤🐣🐥🦆🦉🦜🕊"],
    ["spaces at its ends", "  a b c d  "],
  ])("a password may have %s", (_, password) => {
    expect(passwordProblem(password, "somebody")).toBeUndefined();
  });

  it.each([
    ["short", "seven77", "password.short"],
    ["short", "🐦🐤🐣🐥🦆🦉🦜", "password.short"],
    ["empty", "", "password.short"],
    ["long", "a1".repeat(36) + "b", "password.long"],
    ["long", "雀".repeat(25), "password.long"],
    ["common", "password123", "password.common"],
    ["common", "QWERTYUIOP", "password.common"],
    ["common", "12345678", "password.common"],
    ["common, in full width", "ｐａｓｓｗｏｒｄ", "password.common"],
    ["common with digits and signs beside it", "Sunshine2026!", "password.common"],
    ["a short common word with digits", "dragon2024", "password.common"],
    ["a short common word with digits", "letmein12", "password.common"],
    ["a short common word with digits", "admin2024", "password.common"],
    ["a short common word between signs", "!!Shadow99", "password.common"],
    ["spaces", "        ", "password.common"],
    ["spaces", " \u3000 \u3000 \u3000 \u3000", "password.common"],
    ["one character", "雀".repeat(24), "password.common"],
    ["one character", "zzzzzzzzzzzz", "password.common"],
    ["a row", "ijklmnop", "password.common"],
    ["a row", "ぁあぃいぅうぇえ", "password.common"],
    ["the name of the site", "suzume2026", "password.common"],
    ["the name of the site", "すずめすずめすずめ", "password.common"],
    ["the name and a digit", "somebody12", "password.name"],
    ["the name between signs", "!!somebody1!!", "password.name"],
    ["the name twice", "Somebody1somebody1", "password.name"],
    ["the name", "somebody1", "password.name"],
    ["the name", "SomeBody1", "password.name"],
    ["cut by NUL", "good enough\0", "password.nul"],
    ["cut by NUL", "\0", "password.nul"],
  ])("a password may not be %s: %j", (_, password, problem) => {
    expect(passwordProblem(password, "Somebody1")).toBe(problem);
  });

  it("the 3,000 passwords most often found among stolen ones are refused in any spelling", () => {
    const commonest = dictionary["passwords-common"].filter((word) => word.length >= 8);
    expect(commonest.length).toBeGreaterThan(10_000);
    for (const word of commonest.slice(0, 3000))
      for (const spelled of [word, word.toUpperCase(), word.replace(/(?<=^[a-z]+)$/, "1!")])
        expect([spelled, passwordProblem(spelled, "somebody")]).toEqual([
          spelled,
          "password.common",
        ]);
  });

  it("checking a hostile password takes no time", () => {
    const bits = ["1", "!", "a", "雀", " ", "\u0301", "somebody", "ﷺ", "1a", "suzume"];
    const took = fastest(() => {
      for (const bit of bits) {
        const most = Math.floor(72 / Buffer.byteLength(bit)) * bit.length;
        passwordProblem(bit.repeat(72).slice(0, most), "somebody");
        passwordProblem(bit.repeat(50_000), "somebody");
      }
    });
    expect(took / bits.length).toBeLessThan(50);
  });

  it("a password is compared to its last character", async () => {
    const password = "a1".repeat(36);
    const hash = await hashPassword(password, cost);
    expect(await checkPassword(password, hash, cost)).toBe(true);
    for (const other of [`${password}b`, password.slice(1), `${password}\0`, `\0${password}`, ""])
      expect(await checkPassword(other, hash, cost)).toBe(false);
  });

  it("a password is not cut at NUL", async () => {
    const hash = await hashPassword("good enough", cost);
    expect(await checkPassword("good enough\0and more", hash, cost)).toBe(false);
  });

  it("an account without a hash accepts no password", async () => {
    expect(await checkPassword("good enough", undefined, cost)).toBe(false);
    expect(await checkPassword("", undefined, cost)).toBe(false);
  });

  it("hashing runs beside other work, which continues meanwhile", async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const hash = await hashPassword("good enough", 10);
    const before = turns;
    await checkPassword("good enough", hash, 10);
    isDone = true;
    expect(before).toBeGreaterThan(20);
    expect(turns - before).toBeGreaterThan(20);
  });

  it("each password is hashed with its own salt", async () => {
    const hashes = await Promise.all([hashPassword("alike", cost), hashPassword("alike", cost)]);
    expect(hashes[0]).not.toBe(hashes[1]);
    expect(hashes[0]).toMatch(/^\$2b\$04\$/);
  });
});
