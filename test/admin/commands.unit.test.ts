import { describe, expect, it } from "vitest";
import { parseCall } from "../../src/admin/commands.ts";

describe("the commands of npm run admin", () => {
  it.each([
    [[]],
    [["frobnicate"]],
    [["toString"]],
    [["reset-password"]],
    [["reset-password", "a", "b"]],
    [["make-admin"]],
    [["invite", "a"]],
    [["suspend"]],
  ])("words that call no command are answered with the list of commands: %j", (words) => {
    const list =
      /^usage: npm run admin -- COMMAND\n {2}reset-password NAME [^]* {2}stats +numbers of the site/;
    expect(() => parseCall(words)).toThrow(list);
  });

  it("a command has all of its arguments", () => {
    expect(parseCall(["make-admin", "owl"])).toMatchObject({ args: ["owl"] });
    expect(parseCall(["invite"])).toMatchObject({ args: [] });
  });
});
