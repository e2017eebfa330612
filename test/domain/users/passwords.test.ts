import { describe, expect, it } from "vitest";
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
    ["24 characters of 3 bytes", "雀".repeat(24)],
    ["8 characters beyond the first plane", "🐦🐤🐣🐥🦆🦉🦜🕊"],
    ["spaces at its ends", "  a b c d  "],
  ])("may have %s", (_, password) => {
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
    ["the name", "somebody1", "password.name"],
    ["the name", "SomeBody1", "password.name"],
    ["cut by NUL", "good enough\0", "password.nul"],
    ["cut by NUL", "\0", "password.nul"],
  ])("may not be %s: %j", (_, password, problem) => {
    expect(passwordProblem(password, "Somebody1")).toBe(problem);
  });

  it("is checked as a whole", async () => {
    const password = "a1".repeat(36);
    const hash = await hashPassword(password, cost);
    expect(await checkPassword(password, hash, cost)).toBe(true);
    for (const other of [`${password}b`, password.slice(1), `${password}\0`, `\0${password}`, ""])
      expect(await checkPassword(other, hash, cost)).toBe(false);
  });

  it("is not cut at NUL", async () => {
    const hash = await hashPassword("good enough", cost);
    expect(await checkPassword("good enough\0and more", hash, cost)).toBe(false);
  });

  it("is nobody's where there is no hash", async () => {
    expect(await checkPassword("good enough", undefined, cost)).toBe(false);
    expect(await checkPassword("", undefined, cost)).toBe(false);
  });

  it("is hashed with a salt of its own", async () => {
    const hashes = await Promise.all([hashPassword("alike", cost), hashPassword("alike", cost)]);
    expect(hashes[0]).not.toBe(hashes[1]);
    expect(hashes[0]).toMatch(/^\$2b\$04\$/);
  });
});
