import { describe, expect, it } from "vitest";
import { BadConfig, parseConfig, requireRedis } from "../src/config.ts";
import { settingNames } from "../src/settings.ts";

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
  it("the default configuration is a private Redis and a site that only this machine reaches", () => {
    expect(parseConfig({})).toEqual({
      production: false,
      reloadViews: false,
      port: 3000,
      webConcurrency: 1,
      host: "127.0.0.1",
      redisUrls: [],
      redisTlsUnverified: false,
      bucket: undefined,
      losesFiles: false,
      freeDiskBytes: 1_000_000_000,
      importMegabytes: 20,
      accountPictureBytes: 0,
      dataDir: "./data",
      sessionSecret: undefined,
      vapidPrivateKey: undefined,
      pushToLoopback: false,
      baseUrl: undefined,
      hstsSubdomains: false,
      metricsToken: undefined,
      inlineWorker: true,
      memoryBytes: 48_000_000,
      memoryIdleMilliseconds: 60_000,
      pageBytes: 16_000_000,
      timelineCap: 128,
      editMinutes: 60,
      timeZone: "UTC",
      tweetDays: 0,
      timelineTtlDays: 30,
      bigAccountFollowers: 100_000,
      fanoutPage: 1000,
      trustProxy: undefined,
      logLevel: "warn",
      alertWebhookUrl: undefined,
      reportWebhookUrl: undefined,
      admins: [],
      signUp: "open",
      read: "public",
      showAdmins: true,
      contact: undefined,
      sourceUrl: undefined,
      bcryptCost: 12,
      limitFactor: 1,
      limits: {},
      warnings: [],
      firstDayShare: 0.2,
      answerMilliseconds: 2500,
      pictureMilliseconds: 20_000,
      underNpm: false,
    });
  });

  it("an empty variable counts as unset", () => {
    const empty = Object.fromEntries(settingNames.map((name) => [name, ""]));
    expect(parseConfig(empty)).toEqual(parseConfig({}));
  });

  it("in production the site listens on all interfaces and requires a secret", () => {
    const config = parseConfig(production);
    expect(config).toMatchObject({ production: true, host: undefined, logLevel: "info" });
    expect(refusal({ ...production, SESSION_SECRET: "" })).toContain("SESSION_SECRET is required");
  });

  it("in production the site requires its https address", () => {
    for (const bad of ["", "http://suzume.example", "http://localhost.suzume.example"])
      expect(refusal({ ...production, BASE_URL: bad })).toContain("BASE_URL is required");
    for (const good of ["https://a.example", "http://localhost:3000", "http://127.0.0.1"])
      expect(parseConfig({ ...production, BASE_URL: good }).baseUrl).toBe(good);
    expect(parseConfig({ BASE_URL: "http://suzume.example" }).baseUrl).toContain("http:");
  });

  it("in development templates are read anew", () => {
    expect(parseConfig({ NODE_ENV: "development" }).reloadViews).toBe(true);
  });

  it("CONTACT accepts a mail address or a page, and nothing else", () => {
    expect(parseConfig({ CONTACT: "a@b.example" }).contact).toBe("mailto:a@b.example");
    const page = "https://b.example/contact";
    expect(parseConfig({ CONTACT: page }).contact).toBe(page);
    for (const bad of ["javascript:alert(1)", "somebody", "a@b.example\nExpires: never"])
      expect(refusal({ CONTACT: bad })).toMatch(/CONTACT=.*: must be a mail address/);
  });

  it("SMTP_URL needs a sender, whose text adds nothing to the head of a mail", () => {
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

  it("REDIS_URL accepts one Redis or several; the encrypted one comes first", () => {
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

  it("on Heroku the site trusts the proxy and accepts its self-signed certificates", () => {
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
  ])("TRUST_PROXY=%s is accepted", (text, meaning) => {
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
  ])("TRUST_PROXY=%s is refused with a hint", (text) => {
    expect(refusal({ TRUST_PROXY: text })).toMatch(/TRUST_PROXY=.*: must be false, how many/);
  });

  it("ADMINS are folded like names", () => {
    expect(parseConfig({ ADMINS: " Ann, BOB  cy," }).admins).toEqual(["ann", "bob", "cy"]);
  });

  it("BASE_URL loses its slash at the end", () => {
    expect(parseConfig({ BASE_URL: "https://a.example/" }).baseUrl).toBe("https://a.example");
  });

  it("the configuration knows that npm started the site", () => {
    expect(parseConfig({ npm_lifecycle_event: "start" }).underNpm).toBe(true);
  });

  it("all configuration errors are reported at once", () => {
    const message = refusal({ NODE_ENV: "production", PORT: "x", LOG_LEVEL: "y" });
    for (const name of ["PORT=x", "LOG_LEVEL=y", "SESSION_SECRET", "BASE_URL"])
      expect(message).toContain(name);
    expect(message.split("\n")).toHaveLength(5);
  });

  it("a process that shares its Redis must be told the address", () => {
    expect(() => requireRedis(parseConfig({}))).toThrow(/REDIS_URL is required/);
    expect(requireRedis(parseConfig({ REDIS_URL: "redis://a:1" }))).toEqual(["redis://a:1"]);
  });
});
