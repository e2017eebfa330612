import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { limitOf } from "../../src/domain/limits.ts";
import { parseLimitSettings } from "../../src/domain/limit-settings.ts";

const hour = 3600;

describe("settings of limits", () => {
  it.each([
    ["LIMIT_TWEETS", "60/1h", { "tweets:account": [60, hour], "tweets:address": [300, hour] }],
    ["LIMIT_TWEETS", "60/h,90/2h", { "tweets:account": [60, hour], "tweets:address": [90, 7200] }],
    ["LIMIT_SIGN_UPS", " 5 / 30m ", { "signUps:address": [5, 1800] }],
    ["LIMIT_NOTICES", "5/1d", { "notices:account": [5, 24 * hour] }],
    ["LIMIT_LOG_INS", "5/90s", { "guesses:nameFromAddress": [5, 90], "guesses:address": [50, 90] }],
  ])("%s=%s sets the limits of account and address", (name, value, expected) => {
    const { limits, complaints } = parseLimitSettings({ [name]: value });
    expect(complaints).toEqual([]);
    const pairs = Object.entries(limits).map(([key, one]) => [key, [one.points, one.seconds]]);
    expect(Object.fromEntries(pairs)).toEqual(expected);
  });

  it.each(["many", "300", "0/1h", "5/0s", "5/2d", "5/1w", "-1/1h", "1/1h,2/1h,3/1h", "1/1h;2/1h"])(
    "LIMIT_TWEETS=%s is refused with what is allowed",
    (value) => {
      expect(parseLimitSettings({ LIMIT_TWEETS: value }).complaints).toEqual([
        expect.stringMatching(/^LIMIT_TWEETS=.*: must be a number and a time .*300\/3h/),
      ]);
    },
  );

  it("a value for one address is refused where only an address is counted", () => {
    expect(parseLimitSettings({ LIMIT_SIGN_UPS: "1/1h,1/1h" }).complaints).toHaveLength(1);
  });

  it("a limit that does not exist is refused: it may be misspelled", () => {
    const { complaints } = parseLimitSettings({ LIMIT_TWEET: "3/1h", PORT: "80" });
    expect(complaints).toEqual(["LIMIT_TWEET: there is no such limit"]);
  });

  it("accounts on their first day have a share, and all of them at one address as much as two older accounts", () => {
    const config = parseConfig({ LIMIT_TWEETS: "100/1h", LIMIT_FIRST_DAY: "20%" });
    const points = (["account", "address", "newAccount", "newAddress"] as const).map(
      (holder) => limitOf(config, "tweets", holder).points,
    );
    expect(points).toEqual([100, 500, 20, 200]);
    expect(limitOf(parseConfig({}), "imports", "newAccount").points).toBe(3);
  });
});
