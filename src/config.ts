import { existsSync, readFileSync } from "node:fs";
import type { Limit } from "./domain/limits.ts";
import { parseSettings, type Settings } from "./settings.ts";

export const { version } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { version: string };

/** A bucket of an S3-compatible service; `url`: of the service, with the bucket as its path. */
export type BucketConfig = NonNullable<ReturnType<typeof bucketOf>>;

export type Config = ReturnType<typeof toConfig>;

/** Exit code that says: starting again does not help before the operator has acted. EX_CONFIG of sysexits.h. */
export const operatorNeeded = 78;

/** All wrong settings at once: each with its value and what is allowed. */
export class BadConfig extends Error {
  override name = "BadConfig";
  readonly exitCode = operatorNeeded;
}

/** Reads `.env` (if it exists) and the environment. Throws BadConfig. */
export function readConfig(): Config {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return parseConfig(process.env);
}

/** Throws BadConfig. An empty variable counts as unset. */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  const variables = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[name, value]],
    ),
  );
  const parsed = parseSettings(variables);
  if ("settings" in parsed) return toConfig(parsed.settings);
  const lines = parsed.complaints.map((line) => `  ${line}`);
  throw new BadConfig(`wrong settings; .env.example explains each of them:\n${lines.join("\n")}`);
}

/** For processes that share a Redis with others. Throws BadConfig without a URL. */
export function requireRedis(config: Config): string[] {
  if (config.redisUrls.length === 0)
    throw new BadConfig("REDIS_URL is required here; `npm start` brings a Redis of its own");
  return config.redisUrls;
}

function toConfig(env: Settings) {
  const production = env.NODE_ENV === "production";
  const onHeroku = env.DYNO !== undefined;
  return {
    production,
    /** Reads templates again for every page: npm run dev. */
    reloadViews: env.NODE_ENV === "development",
    port: env.PORT,
    /** Number of web processes that share the port. */
    webConcurrency: env.WEB_CONCURRENCY,
    /** Undefined: all interfaces. */
    host: env.HOST ?? (production ? undefined : "127.0.0.1"),
    /** Empty: a private Redis in dataDir. One URL: that server. Several: the seeds of a cluster. */
    redisUrls: env.REDIS_TLS_URL ?? env.REDIS_URL ?? [],
    /** Whether a self-signed certificate of Redis is accepted, as Heroku needs. */
    redisTlsUnverified: env.REDIS_TLS_UNVERIFIED ?? onHeroku,
    dataDir: env.DATA_DIR,
    /** Keeps the pictures of tweets. Undefined: a folder in dataDir does. */
    bucket: bucketOf(env),
    /** Min free bytes of its disk for a new picture. */
    freeDiskBytes: env.FREE_DISK_MEGABYTES * 1_000_000,
    /** Max size of a file to import. */
    importMegabytes: env.IMPORT_MEGABYTES,
    /** Max bytes of the pictures of one account; 0: no bound. */
    accountPictureBytes: env.ACCOUNT_PICTURE_MEGABYTES * 1_000_000,
    /** Whether this machine loses its files when it restarts, as a dyno of Heroku does. */
    losesFiles: onHeroku,
    /** Outside production it may be undefined until `boot` has made it or read it in dataDir. */
    sessionSecret: env.SESSION_SECRET,
    /** The key that identifies this site to push services. Undefined: derived from the secret of sessions. */
    vapidPrivateKey: env.VAPID_PRIVATE_KEY,
    /** Whether pushes may go to 127.0.0.1, also by http. Not a setting: only tests change it. */
    pushToLoopback: false,
    /**
     * Origin of absolute links, without a trailing slash. Undefined: taken from the request's Host. Always set
     * in production: https, or http on this machine's own address.
     */
    baseUrl: env.BASE_URL,
    /** Whether browsers shall use https for all subdomains of the site, too. */
    hstsSubdomains: env.HSTS_SUBDOMAINS,
    /** Token of Prometheus for /metrics. Undefined: none is needed, and no metrics in production. */
    metricsToken: env.METRICS_TOKEN,
    inlineWorker: env.INLINE_WORKER,
    /** Max bytes that a process caches of its reads, see also web/server/cached-answers.ts; 0: no cache. */
    memoryBytes: env.MEMORY_MEGABYTES * 750_000,
    /** Milliseconds after which it drops a key that was not read. Not a setting: only a simulated day changes it. */
    memoryIdleMilliseconds: 60_000,
    /** Max bytes of finished pages that a process keeps; 0: none. */
    pageBytes: env.MEMORY_MEGABYTES * 250_000,
    timelineCap: env.TIMELINE_CAP,
    /** Minutes after posting in which a tweet may be edited; 0: never. */
    editMinutes: env.EDIT_MINUTES,
    /** In which users give times, unless they choose another. */
    timeZone: env.TIME_ZONE,
    /** Older tweets delete themselves; 0: none. */
    tweetDays: env.TWEET_DAYS,
    timelineTtlDays: env.TIMELINE_TTL_DAYS,
    bigAccountFollowers: env.BIG_ACCOUNT_FOLLOWERS,
    fanoutPage: env.FANOUT_PAGE,
    /** Undefined: not set. As with false, no proxy is believed. */
    trustProxy: env.TRUST_PROXY ?? (onHeroku ? 1 : undefined),
    logLevel: env.LOG_LEVEL ?? (production ? "info" : "warn"),
    /** Hub that is told of new tweets in feeds (WebSub). Undefined: none. */
    websubHub: env.WEBSUB_HUB,
    alertWebhookUrl: env.ALERT_WEBHOOK_URL,
    reportWebhookUrl: env.REPORT_WEBHOOK_URL,
    /** Who may sign up, and who may read, until an admin decides on /admin/site. */
    signUp: env.SIGNUP,
    read: env.READ,
    /** Folded names. */
    admins: env.ADMINS.toLowerCase()
      .split(/[\s,]+/)
      .filter((name) => name !== ""),
    /** Whether /about names them. */
    showAdmins: env.SHOW_ADMINS,
    /** A mailto: or https: address of the operator. */
    contact: env.CONTACT,
    /** Address of this site's source code. */
    sourceUrl: env.SOURCE_URL,
    /** smtp:// or smtps:// URL of the mail server, with its user and password. Undefined: the site sends no mail. */
    smtpUrl: env.SMTP_URL,
    /** Sender of all mails; set together with smtpUrl. */
    mailFrom: env.MAIL_FROM,
    /** log2 of bcrypt's rounds; 12 takes about 190 ms. Not a setting: only tests lower it. */
    bcryptCost: 12,
    /** Multiplies the limits of domain/limits.ts, but the strict ones. Not a setting: tests and benches raise it. */
    limitFactor: 1,
    /** Single limits, by name ("tweets:account"), instead of those there; tests give a number only. */
    limits: env.limits as Readonly<Record<string, number | Limit>>,
    /** About settings that the next version does not read: for the log. */
    warnings: env.warnings,
    /** Points of an account on its first day, as a share of all. */
    firstDayShare: env.LIMIT_FIRST_DAY,
    /** Milliseconds for a response to begin; after that it is 503. Not a setting: only tests change it. */
    answerMilliseconds: 2500,
    /** Milliseconds that a request waits for its pictures: proxies wait 30 s or more, upload included. No setting. */
    pictureMilliseconds: 20_000,
    /** Started by npm, which ends its children when it ends. */
    underNpm: env.npm_lifecycle_event !== undefined,
  };
}

function bucketOf(env: Settings) {
  const { BUCKET_URL: url, BUCKET_KEY_ID: keyId, BUCKET_SECRET: secret } = env;
  if (url === undefined || keyId === undefined || secret === undefined) return undefined;
  return { url, keyId, secret, region: env.BUCKET_REGION };
}
