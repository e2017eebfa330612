import { describe, expect, it } from "vitest";
import { keyKinds, recognize } from "../../src/doctor/key-kinds.ts";
import { keys } from "../../src/redis/keys.ts";

const client = "c".repeat(32);

describe("the doctor's table of keys", () => {
  it("the doctor's table of keys has every key, and no other", () => {
    expect(Object.keys(keyKinds).toSorted()).toEqual(Object.keys(keys).toSorted());
  });

  it("the doctor recognizes every key by its name", () => {
    for (const [name, key] of Object.entries(keys)) {
      const part = name.startsWith("app")
        ? client
        : /report/i.test(name) && name !== "reportsBy"
          ? "t7"
          : "7";
      const spelled =
        typeof key === "string"
          ? [keys.sessionPrefix, keys.ratePrefix, keys.queuePrefix].some((one) => one === key)
            ? `${key.replace(/:$/, "")}:some:thing`
            : key
          : (key as (...parts: string[]) => string)(part, part);
      expect({ spelled, name: recognize(spelled)?.name }).toEqual({ spelled, name });
    }
  });

  it.each([
    "user:",
    "user:x",
    "user:07",
    "user:7:diary",
    "report:x7",
    "app:short",
    "else",
    "username:A",
  ])("the doctor knows no key named %s", (key) => {
    expect(recognize(key)).toBeUndefined();
  });
});
