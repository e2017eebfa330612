import { createECDH } from "node:crypto";
import { isIP } from "node:net";
import { z } from "zod";
import { type Limit, limitSettingNames, parseLimitSettings } from "./domain/limits.ts";

/** The words of each schema complete "must be …": they say what is allowed. */
const anyOf = <const Options extends readonly [string, ...string[]]>(options: Options) =>
  z.enum(options, { error: `must be ${inWords(options)}` });

const flag = anyOf(["true", "false"]).transform((value) => value === "true");

function count(min: number, max: number) {
  const allowed = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .trim()
    .regex(/^\d{1,15}$/, allowed)
    .transform(Number)
    .refine((value) => value >= min && value <= max, allowed);
}

const timeZone = z.string().refine((name) => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name }).format();
    return true;
  } catch {
    return false;
  }
}, "must be the name of a time zone, such as Asia/Tokyo");

const webAddress = (error = "must be an http:// or https:// URL") =>
  z.url({ protocol: /^https?$/, error });
const withoutSlash = (url: string) => url.replace(/\/+$/, "");

const redisUrls = z
  .string()
  .transform(partsOf)
  .refine(
    (urls) => urls.every(isRedisUrl),
    "must be a redis:// or rediss:// URL, several with commas between for a cluster, or the path of a socket (/…)",
  );

const trustProxyError =
  "must be false, how many proxies stand before Suzume (1 to 9), or their addresses, as 10.0.0.1, 10.0.0.0/8, loopback, linklocal or uniquelocal with commas between; not true, which would believe whatever a client claims";
const trustProxy = z
  .string()
  .refine((value) => /^(false|\d)$/.test(value) || partsOf(value).every(isProxy), trustProxyError)
  .transform((value) => {
    if (value === "false") return false;
    return /^\d$/.test(value) ? Number(value) : partsOf(value).join(",");
  });

const shareError = "must be a share from 1% to 100%";
const share = z
  .string()
  .regex(/^\d{1,3}%$/, shareError)
  .transform((value) => Number.parseInt(value, 10) / 100)
  .refine((value) => value >= 0.01 && value <= 1, shareError);

const contactError = "must be a mail address or an https:// URL";
const contact = z.union([
  z.email(contactError).transform((mail) => `mailto:${mail}`),
  z.url({ protocol: /^https$/, error: contactError }),
]);

const mailFrom = z.string().refine((value) => {
  const [, named] = /^[^<>"\p{Cc}]{1,80} <([^<>]+)>$/u.exec(value) ?? [];
  return z.email().safeParse(named ?? value).success;
}, "must be a mail address, or a name and <an address>");

const vapidKey = z
  .string()
  .refine(isVapidKey, "must be a private key of P-256: 32 bytes as 43 characters of base64url");

/** Settings of the operator; .env.example explains each. */
const settings = {
  NODE_ENV: anyOf(["production", "development", "test"]).optional(),
  PORT: count(0, 65_535).default(3000),
  HOST: z.string().optional(),
  WEB_CONCURRENCY: count(1, 64).default(1),
  REDIS_URL: redisUrls.optional(),
  REDIS_TLS_URL: redisUrls.optional(),
  REDIS_TLS_UNVERIFIED: flag.optional(),
  DATA_DIR: z.string().default("./data"),
  BUCKET_URL: webAddress("must be an http:// or https:// URL that ends with the name of the bucket")
    .transform(withoutSlash)
    .optional(),
  BUCKET_REGION: z.string().default("auto"),
  BUCKET_KEY_ID: z.string().optional(),
  BUCKET_SECRET: z.string().optional(),
  SESSION_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  VAPID_PRIVATE_KEY: vapidKey.optional(),
  BASE_URL: webAddress().transform(withoutSlash).optional(),
  HSTS_SUBDOMAINS: flag.default(false),
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  FREE_DISK_MEGABYTES: count(0, 1_000_000).default(1000),
  ACCOUNT_PICTURE_MEGABYTES: count(0, 1_000_000).default(0),
  IMPORT_MEGABYTES: count(1, 10_000).default(20),
  INLINE_WORKER: flag.default(true),
  MEMORY_MEGABYTES: count(0, 100_000).default(64),
  EDIT_MINUTES: count(0, 10_080).default(60),
  TIME_ZONE: timeZone.default("UTC"),
  TWEET_DAYS: count(0, 36_500).default(0),
  TIMELINE_CAP: count(50, 10_000).default(128),
  TIMELINE_TTL_DAYS: count(1, 3650).default(30),
  BIG_ACCOUNT_FOLLOWERS: count(1, 1_000_000_000).default(100_000),
  FANOUT_PAGE: count(1, 10_000).default(1000),
  TRUST_PROXY: trustProxy.optional(),
  LOG_LEVEL: anyOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).optional(),
  ALERT_WEBHOOK_URL: webAddress().optional(),
  REPORT_WEBHOOK_URL: webAddress().optional(),
  WEBSUB_HUB: webAddress().optional(),
  SIGNUP: anyOf(["open", "invite", "approve", "closed"]).default("open"),
  READ: anyOf(["public", "members"]).default("public"),
  ADMINS: z.string().default(""),
  SHOW_ADMINS: flag.default(true),
  CONTACT: contact.optional(),
  SOURCE_URL: webAddress().optional(),
  LIMIT_FIRST_DAY: share.default(0.2),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: "must be an smtp:// or smtps:// URL" }).optional(),
  MAIL_FROM: mailFrom.optional(),
};
/** Set by the platform. */
const surroundings = { DYNO: z.string().optional(), npm_lifecycle_event: z.string().optional() };
const variables = z.object({ ...settings, ...surroundings });

export interface Settings extends z.infer<typeof variables> {
  /** Limits set by LIMIT_TWEETS and so on, by the names that domain/limits.ts gives them. */
  limits: Record<string, Limit>;
  /** About settings that the next version does not read. */
  warnings: string[];
}
export const settingNames: readonly string[] = [...Object.keys(settings), ...limitSettingNames];

/** Settings whose values are never shown. */
const secrets = new Set([
  "SESSION_SECRET",
  "VAPID_PRIVATE_KEY",
  "BUCKET_SECRET",
  "METRICS_TOKEN",
  "ALERT_WEBHOOK_URL",
  "REPORT_WEBHOOK_URL",
  "SMTP_URL",
]);

/** All settings, or what is wrong: a line for each setting with its value and what is allowed. */
export function parseSettings(
  given: Record<string, string>,
): { settings: Settings } | { complaints: string[] } {
  const parsed = variables.safeParse(given);
  const { limits, warnings, complaints: ofLimits } = parseLimitSettings(given);
  const complaints = parsed.success ? [] : parsed.error.issues.map((issue) => complain(issue));
  complaints.push(...missingInProduction(given), ...ofLimits);
  if (given["SMTP_URL"] !== undefined && given["MAIL_FROM"] === undefined)
    complaints.push("MAIL_FROM is required with SMTP_URL: the sender of mails");
  const bucket = ["BUCKET_URL", "BUCKET_KEY_ID", "BUCKET_SECRET"];
  if (bucket.some((name) => name in given))
    for (const name of bucket.filter((one) => !(one in given)))
      complaints.push(
        `${name} is required with a bucket: BUCKET_URL, BUCKET_KEY_ID, BUCKET_SECRET`,
      );
  return parsed.success && complaints.length === 0
    ? { settings: { ...parsed.data, limits, warnings } }
    : { complaints: [...new Set(complaints)] };

  function complain({ path, message }: z.core.$ZodIssue): string {
    const name = path.join(".");
    const value = secrets.has(name) ? "" : `=${shown(given[name] ?? "")}`;
    return `${name}${value}: ${message}`;
  }
}

function missingInProduction(given: Record<string, string>): string[] {
  if (given["NODE_ENV"] !== "production") return [];
  const { BASE_URL: url, SESSION_SECRET: secret } = given;
  const missing: string[] = [];
  if (secret === undefined)
    missing.push("SESSION_SECRET is required in production: try `openssl rand -hex 32`");
  if (url === undefined || !isSafeOrigin(url))
    missing.push(
      `BASE_URL is required in production: the site's address as people see it, https://…${url === undefined ? "" : `, not ${url}`}`,
    );
  return missing;
}

/** https is needed over a network; http is accepted for this machine's own address. */
function isSafeOrigin(url: string): boolean {
  return /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/.test(url);
}

function isVapidKey(key: string): boolean {
  try {
    createECDH("prime256v1").setPrivateKey(key, "base64url");
    return /^[\w-]{43}=?$/.test(key);
  } catch {
    return false;
  }
}

function isRedisUrl(url: string): boolean {
  return /^\/./.test(url) || (/^rediss?:\/\/./.test(url) && URL.canParse(url));
}

/** On one line, without the passwords of URLs. */
function shown(value: string): string {
  const line = value.replaceAll(/\/\/[^/@\s]*@/g, "//…@").replaceAll(/\s+/g, " ");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function partsOf(list: string): string[] {
  return list.split(",").map((part) => part.trim());
}

/** An address or a network, but not the network of all addresses: it would trust every client. */
function isProxy(text: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(text)) return true;
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (bits === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits);
}

/** "a, b or c" */
function inWords(options: readonly string[]): string {
  return `${options.slice(0, -1).join(", ")} or ${options.at(-1) ?? ""}`;
}
