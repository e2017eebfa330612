import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BadConfig, parseConfig, requireRedis, settingNames } from "../src/config.ts";

const secret = "0123456789abcdef0123456789abcdef";
const production = {
  NODE_ENV: "production",
  SESSION_SECRET: secret,
  BASE_URL: "https://suzume.example",
};

function refusal(environment: Record<string, string>): string {
  try {
    parseConfig(environment);
  } catch (error) {
    if (error instanceof BadConfig) return error.message;
    throw error;
  }
  return "";
}

describe("the configuration", () => {
  it("needs nothing: a private Redis, reachable from this machine only", () => {
    expect(parseConfig({})).toEqual({
      production: false,
      reloadViews: false,
      port: 3000,
      webConcurrency: 1,
      host: "127.0.0.1",
      redisUrls: [],
      redisTlsUnverified: false,
      dataDir: "./data",
      sessionSecret: undefined,
      baseUrl: undefined,
      metricsToken: undefined,
      inlineWorker: true,
      memoryBytes: 48_000_000,
      pageBytes: 16_000_000,
      timelineCap: 800,
      timelineTtlDays: 30,
      bigAccountFollowers: 100_000,
      fanoutPage: 1000,
      trustProxy: false,
      logLevel: "warn",
      alertWebhookUrl: undefined,
      admins: [],
      signUp: "open",
      read: "public",
      showAdmins: true,
      contact: undefined,
      sourceUrl: undefined,
      bcryptCost: 12,
      limitFactor: 1,
      limits: {},
      answerMilliseconds: 2500,
      underNpm: false,
    });
  });

  it("takes an empty variable for one that is not set", () => {
    const empty = Object.fromEntries(settingNames.map((name) => [name, ""]));
    expect(parseConfig(empty)).toEqual(parseConfig({}));
  });

  it("listens to everybody in production, and wants a secret there", () => {
    const config = parseConfig(production);
    expect(config).toMatchObject({ production: true, host: undefined, logLevel: "info" });
    expect(refusal({ ...production, SESSION_SECRET: "" })).toContain("SESSION_SECRET is required");
  });

  it("wants to know its https address in production", () => {
    for (const bad of ["", "http://suzume.example", "http://localhost.suzume.example"])
      expect(refusal({ ...production, BASE_URL: bad })).toContain("BASE_URL is required");
    for (const good of ["https://a.example", "http://localhost:3000", "http://127.0.0.1"])
      expect(parseConfig({ ...production, BASE_URL: good }).baseUrl).toBe(good);
    expect(parseConfig({ BASE_URL: "http://suzume.example" }).baseUrl).toContain("http:");
  });

  it("reads templates anew in development", () => {
    expect(parseConfig({ NODE_ENV: "development" }).reloadViews).toBe(true);
  });

  it("takes a mail address or a page as contact, and nothing else", () => {
    expect(parseConfig({ CONTACT: "a@b.example" }).contact).toBe("mailto:a@b.example");
    const page = "https://b.example/contact";
    expect(parseConfig({ CONTACT: page }).contact).toBe(page);
    for (const bad of ["javascript:alert(1)", "somebody", "a@b.example\nExpires: never"])
      expect(refusal({ CONTACT: bad })).toContain("CONTACT: must be a mail address");
  });

  it("takes a mail server together with a sender, and no text that adds to a head", () => {
    const server = { SMTP_URL: "smtps://site:horse@mail.example" };
    for (const from of ["site@example.org", "A site <site@example.org>", "雀 <site@example.org>"])
      expect(parseConfig({ ...server, MAIL_FROM: from }).mailFrom).toBe(from);
    expect(parseConfig({ MAIL_FROM: "site@example.org" }).smtpUrl).toBeUndefined();
    expect(refusal(server)).toContain("MAIL_FROM is required");
    for (const bad of ["site", "A <site>", "A\r\nBcc: b@example.org <site@example.org>"])
      expect(refusal({ ...server, MAIL_FROM: bad })).toContain("MAIL_FROM");
    for (const bad of ["mail.example", "https://mail.example"])
      expect(refusal({ SMTP_URL: bad, MAIL_FROM: "site@example.org" })).toContain("SMTP_URL");
    expect(refusal({ ...server, PORT: "x" })).not.toContain("horse");
  });

  it("takes one Redis or several, an encrypted one first", () => {
    const one = "redis://127.0.0.1:6379";
    expect(parseConfig({ REDIS_URL: one }).redisUrls).toEqual([one]);
    const three = `${one}, redis://b:1,redis://c:2`;
    expect(parseConfig({ REDIS_URL: three }).redisUrls).toEqual([
      one,
      "redis://b:1",
      "redis://c:2",
    ]);
    const tls = parseConfig({ REDIS_URL: one, REDIS_TLS_URL: "rediss://d:3" });
    expect(tls.redisUrls).toEqual(["rediss://d:3"]);
  });

  it("knows that Heroku stands before it, and signs its own certificates", () => {
    expect(parseConfig({ DYNO: "web.1" })).toMatchObject({
      trustProxy: 1,
      redisTlsUnverified: true,
    });
    const own = { DYNO: "web.1", TRUST_PROXY: "2", REDIS_TLS_UNVERIFIED: "false" };
    expect(parseConfig(own)).toMatchObject({ trustProxy: 2, redisTlsUnverified: false });
  });

  it.each([
    ["false", false],
    ["3", 3],
    ["loopback, 10.0.0.0/8,2001:db8::/32", "loopback,10.0.0.0/8,2001:db8::/32"],
    ["192.0.2.7", "192.0.2.7"],
  ])("reads TRUST_PROXY=%s", (text, meaning) => {
    expect(parseConfig({ TRUST_PROXY: text }).trustProxy).toBe(meaning);
  });

  it.each([
    "true",
    "yes",
    "10",
    "-1",
    "0.0.0.0/0",
    "10.0.0.0/33",
    "::/0",
    "10.0.0.1,true",
    "proxy",
  ])("refuses TRUST_PROXY=%s, and says what would be right", (text) => {
    expect(refusal({ TRUST_PROXY: text })).toMatch(/TRUST_PROXY: must be false, how many/);
  });

  it("folds the admins' names", () => {
    expect(parseConfig({ ADMINS: " Ann, BOB  cy," }).admins).toEqual(["ann", "bob", "cy"]);
  });

  it("drops the slash at the end of the base URL", () => {
    expect(parseConfig({ BASE_URL: "https://a.example/" }).baseUrl).toBe("https://a.example");
  });

  it("knows that npm started it", () => {
    expect(parseConfig({ npm_lifecycle_event: "start" }).underNpm).toBe(true);
  });

  it.each([
    ["PORT", "http"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["NODE_ENV", "prod"],
    ["REDIS_URL", "localhost:6379"],
    ["REDIS_URL", "http://localhost:6379"],
    ["REDIS_URL", "redis://a:1,"],
    ["REDIS_TLS_UNVERIFIED", "yes"],
    ["SESSION_SECRET", "short"],
    ["BASE_URL", "suzume.example"],
    ["BASE_URL", "ftp://suzume.example"],
    ["INLINE_WORKER", "1"],
    ["MEMORY_MEGABYTES", "-1"],
    ["TIMELINE_CAP", "49"],
    ["TIMELINE_TTL_DAYS", "0"],
    ["BIG_ACCOUNT_FOLLOWERS", "0"],
    ["FANOUT_PAGE", "0"],
    ["LOG_LEVEL", "loud"],
    ["ALERT_WEBHOOK_URL", "hooks.example"],
  ])("refuses %s=%s, and says where to read more", (name, value) => {
    expect(refusal({ [name]: value })).toMatch(new RegExp(`${name}.*see .env.example`));
  });

  it("reports everything that is wrong at once", () => {
    const message = refusal({ NODE_ENV: "production", PORT: "x", LOG_LEVEL: "y" });
    for (const name of ["PORT", "LOG_LEVEL", "SESSION_SECRET", "BASE_URL"])
      expect(message).toContain(name);
    expect(message.split("\n")).toHaveLength(5);
  });

  it("does not repeat a secret that it refuses", () => {
    expect(refusal({ SESSION_SECRET: "hunter2" })).not.toContain("hunter2");
  });

  it("says that a process which shares its Redis must be told where that is", () => {
    expect(() => requireRedis(parseConfig({}))).toThrow(/REDIS_URL is required/);
    expect(requireRedis(parseConfig({ REDIS_URL: "redis://a:1" }))).toEqual(["redis://a:1"]);
  });
});

describe(".env.example", () => {
  const text = readFileSync(new URL("../.env.example", import.meta.url), "utf8");
  const lines = [...text.matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)];

  it("names exactly the variables that there are", () => {
    const named = lines.map(([, name = ""]) => name);
    expect(named.toSorted()).toEqual([...settingNames].toSorted());
  });

  it("gives examples that are accepted, all commented out", () => {
    const examples = Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
    expect(refusal(examples)).toBe("");
    expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
  });
});
