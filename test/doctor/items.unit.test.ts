import { describe, expect, it } from "vitest";
import { recognize, recognizer } from "../../src/doctor/items.ts";
import { userId } from "../../src/domain/ids.ts";
import { type Row, spellings, zset } from "../../src/redis/key-rows.ts";
import { keys, keyTable, unlinkedWith } from "../../src/redis/keys.ts";
import { undocumented } from "../support/inspect/key-docs.ts";

const examples: Readonly<Record<string, string>> = { client: "c".repeat(32), subject: "t7" };

/** A key of a row, with an example in the place of each part. */
function exampleOf({ pattern, prefix }: Row): string {
  const name = pattern.replaceAll(/<(\w+)>/g, (_, part: string) => examples[part] ?? "7");
  return prefix === true ? `${name.replace(/:$/, "")}:some:thing` : name;
}

describe("the doctor and the table of keys", () => {
  it("the doctor recognizes every key by its name", () => {
    for (const [name, row] of Object.entries<Row>(keyTable)) {
      const key = exampleOf(row);
      expect({ key, name: recognize(key)?.name }).toEqual({ key, name });
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

  it("a row that is added is spelled, recognized, erased with its user and missed in the documentation", () => {
    const diary = zset("user:<user>:diary", { newest: 5, onErase: "unlink" });
    const table = { ...keyTable, diary };
    const user = userId(7);
    expect(spellings(table).diary(user)).toBe("user:7:diary");
    expect(recognizer(table)("user:7:diary")).toMatchObject({ name: "diary", owner: "7" });
    expect(unlinkedWith(user, table)).toEqual([...unlinkedWith(user), "user:7:diary"]);
    expect(undocumented(diary)).toEqual(["user:ID:diary has no row"]);
  });

  it("a row whose name has a second part is not erased by its user alone, and no name has three", () => {
    // @ts-expect-error: the id of the list is unknown to the last step of erasing.
    zset("user:<user>:diary:<list>", { onErase: "unlink" });
    zset("user:<user>:diary:<list>", { onErase: "step" });
    // @ts-expect-error: a function of keys.ts takes two parts at most.
    zset("diary:<user>:<list>:<tweet>", {});
  });

  it("wrong passwords that were counted are deleted with their user", () => {
    expect(unlinkedWith(userId(7))).toContain(keys.guesses(userId(7)));
  });
});
