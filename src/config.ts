import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { z } from "zod";

export interface Config {
  production: boolean;
  /** Reads templates again for every page: npm run dev. */
  reloadViews: boolean;
  port: number;
  /** Number of web processes that share the port. */
  webConcurrency: number;
  /** Undefined: all interfaces. */
  host: string | undefined;
  /** Empty: a private Redis in dataDir. One URL: that server. Several: the seeds of a cluster. */
  redisUrls: string[];
  /** Whether a self-signed certificate of Redis is accepted, as Heroku needs. */
  redisTlsUnverified: boolean;
  dataDir: string;
  /** Undefined outside production: made once and stored in dataDir. */
  sessionSecret: string | undefined;
  /**
   * Origin of absolute links, without a trailing slash. Undefined: taken from the request's Host. Always set
   * in production: https, or http on this machine's own address.
   */
  baseUrl: string | undefined;
  /** Token of Prometheus for /metrics. Undefined: none is needed, and no metrics in production. */
  metricsToken: string | undefined;
  inlineWorker: boolean;
  /** Max bytes that a process caches of its reads, see also web/middleware/kept-pages.ts; 0: no cache. */
  memoryBytes: number;
  /** The same for finished pages. */
  pageBytes: number;
  timelineCap: number;
  timelineTtlDays: number;
  bigAccountFollowers: number;
  fanoutPage: number;
  trustProxy: false | number | string;
  logLevel: string;
  alertWebhookUrl: string | undefined;
  /** Who may sign up, and who may read, until an admin decides on /admin/site. */
  signUp: "open" | "invite" | "approve" | "closed";
  read: "public" | "members";
  /** Folded names. */
  admins: string[];
  /** Whether /about names them. */
  showAdmins: boolean;
  /** A mailto: or https: address of the operator. */
  contact: string | undefined;
  /** Address of this site's source code. */
  sourceUrl: string | undefined;
  /** smtp:// or smtps:// URL of the mail server, with its user and password. Undefined: the site sends no mail. */
  smtpUrl: string | undefined;
  /** Sender of all mails; set together with smtpUrl. */
  mailFrom: string | undefined;
  /** log2 of bcrypt's rounds; 12 takes about 190 ms. Not a setting: only tests lower it. */
  bcryptCost: number;
  /**
   * Multiplies the limits of domain/limits.ts, except those for wrong passwords. Not a setting: only tests and
   * benches raise it.
   */
  limitFactor: number;
  /** Points of single limits, by name ("tweets:account"), instead of those there. Not a setting either. */
  limits: Readonly<Record<string, number>>;
  /** Milliseconds for a response to begin; after that it is 503. Not a setting: only tests change it. */
  answerMilliseconds: number;
  /** Started by npm, which ends its children when it ends. */
  underNpm: boolean;
}

/** All invalid variables at once, each with a valid example. */
export class BadConfig extends Error {
  override name = "BadConfig";
}

const flag = z.enum(["true", "false"]).transform((value) => value === "true");
const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const redisUrl = z
  .string()
  .regex(/^(rediss?:\/\/.|\/.)/, "must be redis:// or rediss:// URLs, or the path of a socket");
const redisUrls = z
  .string()
  .transform((list) => list.split(",").map((url) => url.trim()))
  .pipe(z.array(redisUrl));
const trustProxyError =
  "must be false, how many proxies stand before Suzume (1 to 9), or their addresses, as 10.0.0.1, 10.0.0.0/8, loopback, linklocal or uniquelocal with commas between; not true, which would believe whatever a client claims";
const trustProxy = z
  .string()
  .refine((value) => /^(false|\d)$/.test(value) || proxiesIn(value).every(isProxy), trustProxyError)
  .transform((value) => {
    if (value === "false") return false;
    return /^\d$/.test(value) ? Number(value) : proxiesIn(value).join(",");
  });

const contactError = "must be a mail address or an https:// URL";
const contact = z.union([
  z.email(contactError).transform((address) => `mailto:${address}`),
  z.url({ protocol: /^https$/, error: contactError }),
]);

const mailFromError = "must be a mail address, or a name and <an address>";
const mailFrom = z.string().refine((value) => {
  const [, named] = /^[^<>"\p{Cc}]{1,80} <([^<>]+)>$/u.exec(value) ?? [];
  return z.email().safeParse(named ?? value).success;
}, mailFromError);

/** Settings of the operator; .env.example explains each. */
const settings = {
  NODE_ENV: z.enum(["production", "development", "test"]).optional(),
  PORT: count(0, 65_535).default(3000),
  HOST: z.string().optional(),
  WEB_CONCURRENCY: count(1, 64).default(1),
  REDIS_URL: redisUrls.optional(),
  REDIS_TLS_URL: redisUrls.optional(),
  REDIS_TLS_UNVERIFIED: flag.optional(),
  DATA_DIR: z.string().default("./data"),
  SESSION_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  INLINE_WORKER: flag.default(true),
  MEMORY_MEGABYTES: count(0, 100_000).default(64),
  TIMELINE_CAP: count(50, 10_000).default(800),
  TIMELINE_TTL_DAYS: count(1, 3650).default(30),
  BIG_ACCOUNT_FOLLOWERS: count(1, 1_000_000_000).default(100_000),
  FANOUT_PAGE: count(1, 10_000).default(1000),
  TRUST_PROXY: trustProxy.optional(),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).optional(),
  ALERT_WEBHOOK_URL: z.url({ protocol: /^https?$/, error: "must be a URL" }).optional(),
  SIGNUP: z.enum(["open", "invite", "approve", "closed"]).default("open"),
  READ: z.enum(["public", "members"]).default("public"),
  ADMINS: z.string().default(""),
  SHOW_ADMINS: flag.default(true),
  CONTACT: contact.optional(),
  SOURCE_URL: z
    .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
    .optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: "must be an smtp:// or smtps:// URL" }).optional(),
  MAIL_FROM: mailFrom.optional(),
};
/** Set by the platform. */
const surroundings = {
  DYNO: z.string().optional(),
  npm_lifecycle_event: z.string().optional(),
};
const variables = z.object({ ...settings, ...surroundings });

export const settingNames: readonly string[] = Object.keys(settings);

/** Reads `.env` (if it exists) and the environment. Throws BadConfig. */
export function readConfig(): Config {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return parseConfig(process.env);
}

/** Throws BadConfig. An empty variable counts as unset. */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = variables.safeParse(given);
  const complaints = parsed.success ? [] : parsed.error.issues.map(complaint);
  const production = given["NODE_ENV"] === "production";
  if (production && given["SESSION_SECRET"] === undefined)
    complaints.push("SESSION_SECRET is required in production: try `openssl rand -hex 32`");
  if (production && !isSafeOrigin(given["BASE_URL"]))
    complaints.push(
      "BASE_URL is required in production: the site's address as people see it, https://… (see .env.example)",
    );
  if (given["SMTP_URL"] !== undefined && given["MAIL_FROM"] === undefined)
    complaints.push("MAIL_FROM is required with SMTP_URL: the sender of mails (see .env.example)");
  if (!parsed.success || complaints.length > 0)
    throw new BadConfig(`Configuration:\n${complaints.map((line) => `  ${line}`).join("\n")}`);
  return toConfig(parsed.data, production);
}

function proxiesIn(value: string): string[] {
  return value.split(",").map((proxy) => proxy.trim());
}

/** An address or a network, but not the network of all addresses: it would trust every client. */
function isProxy(text: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(text)) return true;
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (bits === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits);
}

/** https is needed over a network; http is accepted for this machine's own address. */
function isSafeOrigin(url: string | undefined): boolean {
  return (
    url !== undefined && /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/.test(url)
  );
}

/** For processes that share a Redis with others. Throws BadConfig without a URL. */
export function requireRedis(config: Config): string[] {
  if (config.redisUrls.length === 0)
    throw new BadConfig("REDIS_URL is required here; `npm start` brings a Redis of its own");
  return config.redisUrls;
}

function complaint(issue: z.core.$ZodIssue): string {
  return `${issue.path.join(".")}: ${issue.message} (see .env.example)`;
}

function toConfig(env: z.infer<typeof variables>, production: boolean): Config {
  const onHeroku = env.DYNO !== undefined;
  return {
    production,
    reloadViews: env.NODE_ENV === "development",
    port: env.PORT,
    webConcurrency: env.WEB_CONCURRENCY,
    host: env.HOST ?? (production ? undefined : "127.0.0.1"),
    redisUrls: env.REDIS_TLS_URL ?? env.REDIS_URL ?? [],
    redisTlsUnverified: env.REDIS_TLS_UNVERIFIED ?? onHeroku,
    dataDir: env.DATA_DIR,
    sessionSecret: env.SESSION_SECRET,
    baseUrl: env.BASE_URL,
    metricsToken: env.METRICS_TOKEN,
    inlineWorker: env.INLINE_WORKER,
    memoryBytes: env.MEMORY_MEGABYTES * 750_000,
    pageBytes: env.MEMORY_MEGABYTES * 250_000,
    timelineCap: env.TIMELINE_CAP,
    timelineTtlDays: env.TIMELINE_TTL_DAYS,
    bigAccountFollowers: env.BIG_ACCOUNT_FOLLOWERS,
    fanoutPage: env.FANOUT_PAGE,
    trustProxy: env.TRUST_PROXY ?? (onHeroku ? 1 : false),
    logLevel: env.LOG_LEVEL ?? (production ? "info" : "warn"),
    alertWebhookUrl: env.ALERT_WEBHOOK_URL,
    signUp: env.SIGNUP,
    read: env.READ,
    admins: env.ADMINS.toLowerCase()
      .split(/[\s,]+/)
      .filter((name) => name !== ""),
    showAdmins: env.SHOW_ADMINS,
    contact: env.CONTACT,
    sourceUrl: env.SOURCE_URL,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM,
    bcryptCost: 12,
    limitFactor: 1,
    limits: {},
    answerMilliseconds: 2500,
    underNpm: env.npm_lifecycle_event !== undefined,
  };
}
