import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BadConfig, parseConfig } from "../src/config.ts";
import { classNames } from "../src/domain/limit-classes.ts";
import { type Limit, parseLimitSettings, usualLimits } from "../src/domain/limits.ts";
import { settingNames } from "../src/settings.ts";

function refusal(environment: Record<string, string>): string {
  try {
    parseConfig(environment);
  } catch (error) {
    if (error instanceof BadConfig) return error.message;
    throw error;
  }
  return "";
}

describe("a setting", () => {
  it.each([
    ["PORT", "http", "must be a whole number from 0 to 65535"],
    ["PORT", "65536", "must be a whole number from 0 to 65535"],
    ["PORT", "-1", "must be a whole number from 0 to 65535"],
    ["PORT", "80.5", "must be a whole number from 0 to 65535"],
    ["PORT", "0x50", "must be a whole number from 0 to 65535"],
    ["NODE_ENV", "prod", "must be production, development or test"],
    ["REDIS_URL", "localhost:6379", "must be a redis:// or rediss:// URL"],
    ["REDIS_URL", "http://localhost:6379", "must be a redis:// or rediss:// URL"],
    ["REDIS_URL", "redis://localhost:port", "must be a redis:// or rediss:// URL"],
    ["REDIS_URL", "redis://a:1,", "must be a redis:// or rediss:// URL"],
    ["REDIS_TLS_URL", "data/redis.sock", "must be a redis:// or rediss:// URL"],
    ["REDIS_TLS_UNVERIFIED", "yes", "must be true or false"],
    ["WEB_CONCURRENCY", "0", "must be a whole number from 1 to 64"],
    ["BASE_URL", "suzume.example", "must be an http:// or https:// URL"],
    ["BASE_URL", "ftp://suzume.example", "must be an http:// or https:// URL"],
    ["INLINE_WORKER", "1", "must be true or false"],
    ["MEMORY_MEGABYTES", "-1", "must be a whole number from 0 to 100000"],
    ["TIMELINE_CAP", "49", "must be a whole number from 50 to 10000"],
    ["TIMELINE_TTL_DAYS", "0", "must be a whole number from 1 to 3650"],
    ["BIG_ACCOUNT_FOLLOWERS", "0", "must be a whole number from 1 to 1000000000"],
    ["FANOUT_PAGE", "0", "must be a whole number from 1 to 10000"],
    ["TRUST_PROXY", "maybe", "must be false, how many proxies"],
    ["LOG_LEVEL", "loud", "must be trace, debug, info, warn, error, fatal or silent"],
    ["SIGNUP", "all", "must be open, invite, approve or closed"],
    ["READ", "all", "must be public or members"],
    ["SHOW_ADMINS", "no", "must be true or false"],
    ["CONTACT", "somebody", "must be a mail address or an https:// URL"],
    ["SOURCE_URL", "git.example", "must be an http:// or https:// URL"],
  ])("%s=%s is refused with what is allowed", (name, value, allowed) => {
    const [first, line, ...more] = refusal({ [name]: value }).split("\n");
    expect(first).toContain(".env.example");
    expect(line).toContain(`${name}=${value}: ${allowed}`);
    expect(more).toEqual([]);
  });

  it.each([
    ["SESSION_SECRET", "hunter2", "must have at least 32 characters"],
    ["METRICS_TOKEN", "hunter2", "must have at least 16 characters"],
    ["ALERT_WEBHOOK_URL", "hooks.example/hunter2", "must be an http:// or https:// URL"],
    ["REPORT_WEBHOOK_URL", "hooks.example/hunter2", "must be an http:// or https:// URL"],
    ["REDIS_URL", "redis://me:hunter2@host:x", "REDIS_URL=redis://…@host:x: must be"],
  ])("%s=%s is refused without repeating the secret", (name, value, says) => {
    const message = refusal({ [name]: value });
    expect(message).toContain(name);
    expect(message).toContain(says);
    expect(message).not.toContain("hunter2");
  });
});

/** As docs/operations.md has it: 300 / 5 min. */
function spell({ points, seconds }: Limit): string {
  const spans: Readonly<Record<number, string>> = { 3600: "h", 10_800: "3 h", 86_400: "d" };
  return `${points} / ${spans[seconds] ?? `${seconds / 60} min`}`;
}

describe(".env.example", () => {
  const text = readFileSync(new URL("../.env.example", import.meta.url), "utf8");
  const lines = [...text.matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)];

  it(".env.example names exactly the existing variables", () => {
    const named = lines.map(([, name = ""]) => name);
    expect(named.toSorted()).toEqual([...settingNames].toSorted());
  });

  it("docs/operations.md names each setting by its purpose", () => {
    const guide = readFileSync(new URL("../docs/operations.md", import.meta.url), "utf8");
    const [, table = ""] = /^## Every setting(.*?)^## Redis/ms.exec(guide) ?? [];
    expect(settingNames.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
  });

  it(".env.example has the default of each limit", () => {
    const given = Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
    const { limits, warnings } = parseLimitSettings(given);
    expect(limits).toEqual(Object.fromEntries(usualLimits));
    expect(warnings).toEqual([]);
  });

  it("docs/operations.md has the figures of each limit", () => {
    const guide = readFileSync(new URL("../docs/operations.md", import.meta.url), "utf8");
    const rows = [...guide.matchAll(/^\| ([\w-]+)(?: \\\*)? +\| (.*?) +\| (.*?) +\| .*\|$/gm)];
    for (const limitClass of classNames) {
      const title = limitClass.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
      const row = rows.find(([, name]) => name === title);
      const spelled = (["account", "address"] as const).map((holder) => {
        const limit = usualLimits.get(`${limitClass}:${holder}`);
        return limit === undefined ? "" : spell(limit);
      });
      expect([title, row?.[2]?.trim(), row?.[3]?.trim()]).toEqual([title, ...spelled]);
    }
  });

  it(".env.example has accepted examples, all commented out", () => {
    const examples = Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
    expect(refusal(examples)).toBe("");
    expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
  });
});
