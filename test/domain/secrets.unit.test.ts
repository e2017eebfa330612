import { describe, expect, it } from "vitest";
import { sealWith } from "../../src/domain/secrets.ts";

const secret = "a secret of the site, which is long enough";

describe("a seal", () => {
  const seal = sealWith(secret, "tests");

  it("a seal opens what it has closed, about the same thing only", () => {
    const sealed = seal.close("a key 雀", "7");
    expect(seal.open(sealed, "7")).toBe("a key 雀");
    expect(seal.open(sealed, "8")).toBeUndefined();
    expect(sealed).not.toContain("key");
  });

  it("a seal does not open with another secret or for another purpose", () => {
    const sealed = seal.close("a key", "7");
    expect(sealWith(`${secret}!`, "tests").open(sealed, "7")).toBeUndefined();
    expect(sealWith(secret, "others").open(sealed, "7")).toBeUndefined();
    expect(sealWith(secret, "tests").open(sealed, "7")).toBe("a key");
  });

  it("a seal does not open what was changed or cut, at any byte", () => {
    const bytes = Buffer.from(seal.close("a key", "7"), "base64url");
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(seal.open(changed.toString("base64url"), "7")).toBeUndefined();
      expect(seal.open(bytes.subarray(0, at).toString("base64url"), "7")).toBeUndefined();
    }
  });

  it("a seal never looks the same twice", () => {
    expect(seal.close("a key", "7")).not.toBe(seal.close("a key", "7"));
  });
});
