import type { Config } from "../config.ts";
import { keys } from "../redis/keys.ts";

export type KeyName = keyof typeof keys;
type RedisType = "string" | "hash" | "zset" | "stream";

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
  /** The site drops the oldest members above `most`. For other keys, too many need a decision. */
  trims?: true;
  /** Form of the members or fields that are checked; undefined: any. */
  members?: keyof typeof memberForms;
  /** May be deleted at any time: it is rebuilt. */
  cache?: true;
}

const id = String.raw`[1-9]\d{0,14}`;
const client = String.raw`[\w-]{32}`;
const text = String.raw`[^]+`;
const subject = `[tp]${id}`;

/** Forms of members; `saw`: whose id they begin with. */
export const memberForms = {
  user: { pattern: new RegExp(`^${id}$`), saw: "user" },
  tweet: { pattern: new RegExp(`^${id}$`), saw: "tweet" },
  "tweet and user": { pattern: new RegExp(`^${id}:${id}$`), saw: "tweet" },
  "tweet and users": { pattern: new RegExp(`^${id}(:${id}){1,2}$`), saw: "tweet" },
  "words and user": { pattern: new RegExp(`^${text} ${id}$`), saw: undefined },
  subject: { pattern: new RegExp(`^${subject}$`), saw: undefined },
  any: { pattern: /^/, saw: undefined },
} as const;

const minutes = 60;
const days = 24 * 60 * minutes;

const never = "never";
const sometimes = "sometimes";
const after = (seconds: number) => ({ seconds: () => seconds });
const unseen = { seconds: (config: Config) => config.timelineTtlDays * days };

type More = Omit<KeyKind, "type" | "parts" | "expires">;
const bound = (most: number): More => ({ most: () => most });
const newest = (most: number): More => ({ most: () => most, trims: true });
const of = (members: keyof typeof memberForms): More => ({ members });
const cache: More = { cache: true };

/** A kind of key of the given type. */
const kind =
  (type: RedisType | undefined) =>
  (parts: string[], expires: KeyKind["expires"], ...more: More[]): KeyKind =>
    Object.assign({ type, parts, expires }, ...more) as KeyKind;
const string = kind("string");
const hash = kind("hash");
const zset = kind("zset");

/** One line for each key of redis/keys.ts. */
export const keyKinds: Record<KeyName, KeyKind> = {
  applicants: zset([], never, of("user")),
  invitations: hash([id], never, bound(100)),
  siteInvitations: hash([], never, bound(100)),
  inviters: zset([], never, of("user")),
  site: hash([], never),
  userIds: string([], never),
  tweetIds: string([], never),
  appIds: string([], never),

  user: hash([id], sometimes),
  avatar: string([id], never, bound(16_384)),
  uploads: hash([id], after(3 * days), bound(2000)),
  pictures: hash([id], never),
  username: string(["[a-z0-9_]{1,15}"], sometimes),
  sessions: zset([id], after(90 * days), newest(50)),
  guesses: hash([id], after(30 * days)),
  halfOpen: hash([id], after(10 * minutes), bound(10)),
  passkeys: hash([id], never, bound(20)),
  totp: hash([id], never),
  totpSetup: string([id], after(15 * minutes)),
  challenge: string([text], after(5 * minutes)),
  recoveryCodes: hash([id], never, bound(10)),
  resetLinks: hash([id], after(days), bound(20)),
  mailPending: string([id], after(days)),
  mailUsers: zset([String.raw`[\w-]{1,43}`], never, of("user")),
  import: hash([id], after(7 * days)),
  importItems: hash([id, "[^:]+"], after(7 * days)),
  imported: hash([id], unseen),
  newestUsers: zset([], never, newest(1000), of("user")),

  app: string([client], sometimes),
  appTokens: hash([client], after(7 * days), bound(10)),
  tokens: hash([id], never, bound(100)),
  codes: hash([id], after(10 * minutes), bound(20)),

  followers: zset([id], never, of("user")),
  followings: zset([id], never, of("user")),
  withoutRetweets: zset([id], never, of("user")),
  watchers: zset([id], never, of("user")),
  mutes: zset([id], never),
  timedMutes: zset([id], never, bound(1000)),
  blocks: zset([id], never, of("user")),
  blockedBy: zset([id], never, of("user")),
  filters: hash([id], never, bound(200)),
  followedTags: zset([id], never, bound(50)),
  lists: hash([id], never, bound(50)),
  listMembers: zset([id, id], never, bound(500), of("user")),
  notifications: zset([id], never, newest(1000)),
  mutedConversations: zset([id], never, newest(1000)),
  push: hash([id], never, bound(26)),
  pushed: zset([id], after(days), bound(2200)),

  tweet: hash([id], sometimes),
  tweetReplies: zset([id], sometimes, of("tweet")),
  tweetLikes: zset([id], never, of("user")),
  tweetRetweets: zset([id], never, of("user")),
  likes: zset([id], never, of("tweet")),
  bookmarks: zset([id], never, newest(10_000)),
  retweets: hash([id], never, of("tweet")),
  nonce: string([id, "[^:]+"], after(days)),

  userTimeline: zset([id], never, of("tweet")),
  replies: zset([id], never, of("tweet and user")),
  answers: zset([id], never, newest(1000), of("tweet and user")),
  homeTimeline: zset([id], unseen, { most: (config) => config.timelineCap }, cache),
  globalTimeline: zset([], never, newest(10_000), of("tweet")),
  bigTimeline: zset([], never, bound(10_000), of("tweet and users")),

  searchTerm: zset([text], after(365 * days), newest(10_000), of("tweet"), cache),
  tag: zset([text], after(365 * days), newest(10_000), of("tweet"), cache),
  tagUses: zset([], after(days), newest(10_000), cache),
  searchPeople: zset(["[^]{1,2}"], never, of("words and user")),
  indexedPerson: string([id], never),

  suspended: zset([], never, of("user")),
  staff: hash([], never, of("user")),
  siteBlocks: hash([], never, bound(1100)),
  openReports: zset([], never, of("subject")),
  reportsOf: hash([subject], never, bound(50), of("user")),
  resolvedReports: hash([subject], after(90 * days), bound(50)),
  reportsBy: zset([id], never, bound(20), of("subject")),
  outcomes: zset([id], after(90 * days), newest(50)),
  // "About" 10,000: Redis trims a hundred at a time.
  acts: kind("stream")([], never, bound(10_200)),

  siteData: hash([], never),
  checkup: string([], never, bound(1000)),
  dayStat: string([String.raw`[\w-]+`, String.raw`[\d-]+`], after(40 * days), bound(12_400)),
  siteLock: string([], after(30)),
  untrustedProxy: string([], after(3600)),

  sessionPrefix: string([text], after(30 * days)),
  probe: string([String.raw`\d+`], sometimes),
  ratePrefix: string([text], after(days)),
  queuePrefix: kind(undefined)([text], sometimes),
};

/** A key that was found, or a member of a sorted set, or a field of a hash. */
export interface Item {
  key: string;
  name: KeyName;
  /** The variable parts of the key's name. */
  parts: string[];
  /** The first of them; mostly the id of its user or tweet. */
  owner: string;
  /** The member or field; empty for the key itself. */
  id: string;
  /** Its score or value. */
  value: string;
}

/** By the text before the first colon; exact patterns come before general ones. */
const patterns = new Map<string, { name: KeyName; pattern: RegExp }[]>();
for (const name of Object.keys(keyKinds) as KeyName[]) {
  const head = headOf(spelled(name));
  patterns.set(head, [...(patterns.get(head) ?? []), { name, pattern: patternOf(name) }]);
}

/** Undefined for a key that is not Suzume's. */
export function recognize(key: string): Item | undefined {
  for (const { name, pattern } of patterns.get(headOf(key)) ?? []) {
    const [all, ...parts] = pattern.exec(key) ?? [];
    if (all !== undefined) return { key, name, parts, owner: parts[0] ?? "", id: "", value: "" };
  }
  return undefined;
}

function headOf(key: string): string {
  return key.split(":", 1)[0] ?? "";
}

function patternOf(name: KeyName): RegExp {
  const parts = keyKinds[name].parts.values();
  const literal = spelled(name).replaceAll(/[{}]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll("\0", () => `(${parts.next().value ?? "$^"})`)}$`);
}

/** The key with "\0" as every variable part; a prefix continues with a colon and any text. */
function spelled(name: KeyName): string {
  const key = keys[name];
  if (typeof key === "string")
    return keyKinds[name].parts.length === 0 ? key : `${key.replace(/:$/, "")}:\0`;
  const parts = Array.from({ length: key.length }, () => "\0");
  return (key as (...parts: string[]) => string)(...parts);
}
