import type { Config } from "../config.ts";
import { keys } from "../redis/keys.ts";

export type KeyName = keyof typeof keys;
export type RedisType = "string" | "hash" | "zset" | "stream";

/** Properties of a kind of key. docs/redis-keys.md describes the same in prose. */
export interface KeyKind {
  /** Undefined: several types, as in a library's family of keys. */
  type: RedisType | undefined;
  /** Patterns of the variable parts of its name, in the order of the function's arguments. */
  parts: readonly string[];
  /** "never": expiring would lose truth. `seconds`: TTL set on a key that lacks it. */
  expires: "never" | "sometimes" | { seconds: (config: Config) => number };
  /** Max members, fields, entries or bytes; undefined: unlimited. */
  most?: (config: Config) => number;
  /** May be deleted at any time: it is rebuilt. */
  cache?: true;
}

const id = String.raw`[1-9]\d{0,14}`;
const client = String.raw`[\w-]{32}`;
const text = String.raw`[^]+`;
const subject = `[tp]${id}`;

const minutes = 60;
const days = 24 * 60 * minutes;

const never = "never";
const sometimes = "sometimes";
const after = (seconds: number) => ({ seconds: () => seconds });
const unseen = { seconds: (config: Config) => config.timelineTtlDays * days };
const bound = (most: number) => () => most;

const string = (parts: string[], expires: KeyKind["expires"], most?: KeyKind["most"]) =>
  kind("string", parts, expires, most);
const hash = (parts: string[], expires: KeyKind["expires"], most?: KeyKind["most"]) =>
  kind("hash", parts, expires, most);
const zset = (parts: string[], expires: KeyKind["expires"], most?: KeyKind["most"]) =>
  kind("zset", parts, expires, most);
const cache = (one: KeyKind): KeyKind => ({ ...one, cache: true });

function kind(
  type: RedisType | undefined,
  parts: string[],
  expires: KeyKind["expires"],
  most?: KeyKind["most"],
): KeyKind {
  return most === undefined ? { type, parts, expires } : { type, parts, expires, most };
}

/** One line for each key of redis/keys.ts. */
export const keyKinds: Record<KeyName, KeyKind> = {
  site: hash([], never),
  userIds: string([], never),
  tweetIds: string([], never),
  appIds: string([], never),

  user: hash([id], sometimes),
  avatar: string([id], never, bound(16_384)),
  username: string(["[a-z0-9_]{1,15}"], sometimes),
  sessions: zset([id], after(90 * days), bound(50)),
  guesses: hash([id], after(30 * days)),
  halfOpen: hash([id], after(10 * minutes), bound(10)),
  passkeys: hash([id], never, bound(20)),
  totp: hash([id], never),
  totpSetup: string([id], after(15 * minutes)),
  challenge: string([text], after(5 * minutes)),
  recoveryCodes: hash([id], never, bound(10)),
  resetLinks: hash([id], after(days), bound(20)),
  mailPending: string([id], after(days)),
  mailUsers: zset([String.raw`[\w-]{1,43}`], never),
  import: hash([id], after(7 * days)),
  importItems: hash([id, "[^:]+"], after(7 * days)),
  imported: hash([id], unseen),
  newestUsers: zset([], never, bound(1000)),

  app: string([client], sometimes),
  appTokens: hash([client], after(7 * days), bound(10)),
  tokens: hash([id], never, bound(100)),
  codes: hash([id], after(10 * minutes), bound(20)),

  followers: zset([id], never),
  followings: zset([id], never),
  mutes: zset([id], never),
  blocks: zset([id], never),
  blockedBy: zset([id], never),
  mutedWords: zset([id], never, bound(200)),
  notifications: zset([id], never, bound(1000)),

  tweet: hash([id], sometimes),
  tweetReplies: zset([id], sometimes),
  tweetLikes: zset([id], never),
  tweetRetweets: zset([id], never),
  likes: zset([id], never),
  bookmarks: zset([id], never, bound(10_000)),
  retweets: hash([id], never),
  nonce: string([id, "[^:]+"], after(days)),

  userTimeline: zset([id], never),
  replies: zset([id], never),
  answers: zset([id], never, bound(1000)),
  homeTimeline: cache(zset([id], unseen, (config) => config.timelineCap)),
  globalTimeline: zset([], never, bound(10_000)),
  bigTimeline: zset([], never, bound(10_000)),

  searchTerm: cache(zset([text], after(365 * days), bound(10_000))),
  tag: cache(zset([text], after(365 * days), bound(10_000))),
  tagUses: cache(zset([], after(days), bound(10_000))),
  searchPeople: zset(["[^]{1,2}"], never),
  indexedPerson: string([id], never),

  suspended: zset([], never),
  openReports: zset([], never),
  reportsOf: hash([subject], never, bound(50)),
  resolvedReports: hash([subject], after(90 * days), bound(50)),
  reportsBy: zset([id], never, bound(20)),
  // "About" 10,000: Redis trims a hundred at a time.
  acts: kind("stream", [], never, bound(10_200)),

  sessionPrefix: string([text], after(30 * days)),
  probe: string([String.raw`\d+`], sometimes),
  ratePrefix: string([text], after(days)),
  queuePrefix: kind(undefined, [text], sometimes),
};

/** A key that was found, and the parts of its name. */
export interface FoundKey {
  key: string;
  name: KeyName;
  /** The variable parts of its name, such as an id. */
  parts: string[];
}

interface Pattern {
  name: KeyName;
  pattern: RegExp;
}

/** By the text before the first colon; exact patterns come before general ones. */
const patterns = new Map<string, Pattern[]>();
for (const name of Object.keys(keyKinds) as KeyName[]) {
  const head = headOf(nameWith(name, "\0"));
  patterns.set(head, [...(patterns.get(head) ?? []), { name, pattern: patternOf(name) }]);
}

/** Undefined for a key that is not Suzume's. */
export function recognize(key: string): FoundKey | undefined {
  for (const { name, pattern } of patterns.get(headOf(key)) ?? []) {
    const [all, ...parts] = pattern.exec(key) ?? [];
    if (all !== undefined) return { key, name, parts };
  }
  return undefined;
}

function headOf(key: string): string {
  const end = key.indexOf(":");
  return end === -1 ? key : key.slice(0, end);
}

function patternOf(name: KeyName): RegExp {
  const [first = "", ...rest] = nameWith(name, "\0").split("\0").map(escape);
  const { parts } = keyKinds[name];
  const middle = rest.map((literal, nth) => `(${parts[nth] ?? "$^"})${literal}`);
  return new RegExp(`^${first}${middle.join("")}$`);
}

function escape(literal: string): string {
  return literal.replaceAll(/[{}]/g, String.raw`\$&`);
}

/** The key with `part` as every variable part; a prefix continues with a colon and any text. */
function nameWith(name: KeyName, part: string): string {
  const key = keys[name];
  if (typeof key === "string")
    return keyKinds[name].parts.length === 0 ? key : `${key.replace(/:$/, "")}:${part}`;
  const parts = Array.from({ length: key.length }, () => part);
  return (key as (...parts: string[]) => string)(...parts);
}
