import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { costs } from "../../src/domain/limit-classes.ts";
import { limitOf, parseLimitSettings, usualLimits } from "../../src/domain/limits.ts";

const hour = 3600;

const formerSettings = [
  ["LIMIT_REQUESTS", "300/5m,300/5m"],
  ["LIMIT_LOOKUPS", "300/5m,300/5m"],
  ["LIMIT_CHALLENGES", "100/15m,300/15m"],
  ["LIMIT_COMPLETIONS", "600/5m,300/5m"],
  ["LIMIT_SIGN_UP_FORMS", "100/15m"],
  ["LIMIT_APPS", "60/1d"],
  ["LIMIT_RESCUES", "60/1h"],
  ["LIMIT_EDITS", "120/1h,600/1h"],
  ["LIMIT_MENTIONS", "800/1h,4000/1h"],
  ["LIMIT_LIKES", "600/1h,3000/1h"],
  ["LIMIT_RETWEETS", "300/3h,1500/3h"],
  ["LIMIT_NEWCOMER_NOTICES", "10/1d"],
  ["LIMIT_NEWCOMER_FIRST_NOTICES", "40/1d"],
  ["LIMIT_BLOCKS", "500/1h,2500/1h"],
  ["LIMIT_LISTS", "600/1h,3000/1h"],
  ["LIMIT_PUSHES", "120/1h,600/1h"],
  ["LIMIT_PROFILE", "120/1h,600/1h"],
  ["LIMIT_FACTORS", "60/1h,300/1h"],
  ["LIMIT_TOKENS", "100/1h,300/15m"],
  ["LIMIT_UPLOADS", "150/1h,750/1h"],
  ["LIMIT_PICTURE_KILOBYTES", "200000/1d,1000000/1d"],
  ["LIMIT_DRAWING", "1200/1d"],
  ["LIMIT_INVITATIONS", "50/1d,200/1d"],
  ["LIMIT_IMPORTED_TWEETS", "50000/1d,100000/1d"],
  ["LIMIT_TERMS", "500000/1d"],
] as const;

describe("settings of limits", () => {
  it.each([
    ["LIMIT_TWEETS", "60/1h", { "tweets:account": [60, hour], "tweets:address": [300, hour] }],
    ["LIMIT_TWEETS", "60/h,90/2h", { "tweets:account": [60, hour], "tweets:address": [90, 7200] }],
    ["LIMIT_SIGN_UPS", " 5 / 30m ", { "signUps:address": [5, 1800] }],
    ["LIMIT_NOTICES", "5/1d", { "notices:account": [5, 24 * hour] }],
    ["LIMIT_LOG_INS", "5/90s", { "logIns:account": [5, 90], "logIns:address": [50, 90] }],
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
    const config = parseConfig({ LIMIT_FOLLOWS: "100/1h", LIMIT_FIRST_DAY: "20%" });
    const points = (["account", "address", "newAccount", "newAddress"] as const).map(
      (holder) => limitOf(config, `follows:${holder}`).points,
    );
    expect(points).toEqual([100, 500, 20, 200]);
    expect(limitOf(parseConfig({}), "notices:newAccount").points).toBe(4);
  });

  it("no setting leaves an account on its first day without points", () => {
    expect(limitOf(parseConfig({ LIMIT_FOLLOWS: "4/1d" }), "follows:newAccount").points).toBe(3);
  });

  it("points of a class are those of its first verb, so that others cost a part of it", () => {
    const config = parseConfig({ LIMIT_TWEETS: "100/1h" });
    expect(limitOf(config, "tweets:account")).toEqual({ points: 1200, seconds: hour });
    expect(costs.tweet.points).toBe(12);
  });

  it("further counters of a class are multiples of its setting", () => {
    const config = parseConfig({ LIMIT_LOG_INS: "5/5m", LIMIT_MAILS: "20/1d" });
    expect(limitOf(config, "logIns:knownBrowsers")).toEqual({ points: 15, seconds: 300 });
    expect(limitOf(config, "logIns:name")).toEqual({ points: 50, seconds: 24 * hour });
    expect(limitOf(config, "mails:confirm")).toEqual({ points: 10, seconds: 24 * hour });
  });
});

describe("former settings of limits", () => {
  it.each(formerSettings)("%s=%s, the former default, leaves its class as it is", (name, usual) => {
    const { limits, complaints } = parseLimitSettings({ [name]: usual });
    expect(complaints).toEqual([]);
    expect(Object.keys(limits)).not.toEqual([]);
    for (const [key, { points, seconds }] of Object.entries(limits)) {
      const own = usualLimits.get(key);
      expect(points / seconds).toBeCloseTo((own?.points ?? 0) / (own?.seconds ?? 1), 3);
    }
  });

  it.each([
    ["LIMIT_LIKES", "1200/1h", { "reactions:account": 1800, "reactions:address": 9000 }],
    ["LIMIT_LIKES", "600/1h,30000/1h", { "reactions:account": 900, "reactions:address": 45_000 }],
    ["LIMIT_SIGN_UP_FORMS", "50/15m", { "signUps:address": 5 }],
    ["LIMIT_DRAWING", "600/1d", { "pictures:account": 200, "pictures:address": 1000 }],
  ])("%s=%s changes its class by as much", (name, value, expected) => {
    const { limits } = parseLimitSettings({ [name]: value });
    const points = Object.entries(limits).map(([key, limit]) => [key, limit.points]);
    expect(Object.fromEntries(points)).toEqual(expected);
  });

  it("a present name counts before a former one", () => {
    const given = { LIMIT_MENTIONS: "8000/1h", LIMIT_TWEETS: "100/3h" };
    expect(parseLimitSettings(given).limits["tweets:account"]?.points).toBe(100);
  });

  it("a former name is checked as any other", () => {
    expect(parseLimitSettings({ LIMIT_RESCUES: "1/1h,1/1h" }).complaints).toHaveLength(1);
  });
});
