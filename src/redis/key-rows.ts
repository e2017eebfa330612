import type { ClientId, ConversationId, ListId, TweetId, UserId } from "../domain/ids.ts";

export const minutes = 60;
export const days = 24 * 60 * minutes;

/** How the keys of a user end when the account is erased. */
type Erasure =
  /** The data is the user's alone: the last step deletes the key. */
  | "unlink"
  /** A step of its own removes what refers to the data, then the key. */
  | "step"
  /** A step removes each entry at both ends. */
  | "edge"
  /** The key expires soon. */
  | "expires";

interface Facts {
  /**
   * TTL in seconds, or the setting that gives it in days; "sometimes": of some keys only. Without it the key
   * stays: expiring would lose truth.
   */
  ttl?: number | "TIMELINE_TTL_DAYS" | "sometimes";
  /** Max members, fields, entries or bytes, or the setting that gives it. Without it there is no bound. */
  most?: number | "TIMELINE_CAP";
  /** Max members of a sorted set whose oldest members are dropped. */
  newest?: number;
  /** How many more than `most` there may be for a moment. */
  spare?: number;
  /** Form of the members or fields, if it is checked. */
  members?: keyof typeof memberForms;
  /** The key may be deleted at any time: it is made again. */
  cache?: true;
  /** More text follows the name. */
  prefix?: true;
  onErase?: Erasure;
}

type RedisType = "string" | "hash" | "zset" | "stream";

export interface Row extends Facts {
  /** The name, with `<part>` for each part that changes. */
  pattern: string;
  /** Undefined: several types, as in a library's family of keys. */
  type: RedisType | undefined;
}

/** Each key of a user says how it ends. The last step finds it by its user alone. No name has three parts. */
type FactsOf<Pattern extends string> = Pattern extends `${string}<${string}<${string}<${string}`
  ? [never]
  : Pattern extends `${string}<user>:${string}<${string}`
    ? [facts: Facts & { onErase: Exclude<Erasure, "unlink"> }]
    : Pattern extends `${string}<user>:${string}`
      ? [facts: Facts & { onErase: Erasure }]
      : [facts?: Omit<Facts, "onErase">];

/** Makes rows of a type. */
const rowOf =
  <Type extends RedisType | undefined>(type: Type) =>
  <const Pattern extends string>(pattern: Pattern, ...[facts]: FactsOf<Pattern>) => {
    const { newest, ...others }: Facts = facts ?? {};
    const most = newest === undefined ? {} : { most: newest, newest };
    return { pattern, type, ...others, ...most } as Row & { pattern: Pattern; type: Type };
  };

export const string = rowOf("string");
export const hash = rowOf("hash");
export const zset = rowOf("zset");
export const stream = rowOf("stream");
export const family = rowOf(undefined);

const id = String.raw`[1-9]\d{0,14}`;
const people = `${id}(?:-${id})*`;
const text = "[^]+";
const word = "[^:]+";

/** Patterns of the parts of names. */
export const partForms: Readonly<Record<string, string>> = {
  user: id,
  tweet: id,
  list: id,
  people,
  client: String.raw`[\w-]{32}`,
  subject: `[tp]${id}`,
  name: "[a-z0-9_]{1,15}",
  digest: word,
  import: word,
  term: text,
  tag: text,
  first: "[^]{1,2}",
  stat: String.raw`[\w-]+`,
  day: String.raw`[\d-]+`,
  nth: String.raw`\d+`,
  token: String.raw`[\w-]+`,
  rest: text,
};

/** Forms of members; `saw`: whose id they begin with. */
export const memberForms = {
  user: { pattern: new RegExp(`^${id}$`), saw: "user" },
  "user or number": { pattern: new RegExp(`^(${id}|voters|n[0-3])$`), saw: undefined },
  tweet: { pattern: new RegExp(`^${id}$`), saw: "tweet" },
  "tweet and user": { pattern: new RegExp(`^${id}:${id}$`), saw: "tweet" },
  "tweet and users": { pattern: new RegExp(`^${id}(:${id}){1,2}$`), saw: "tweet" },
  "words and user": { pattern: new RegExp(`^${text} ${id}$`), saw: undefined },
  people: { pattern: new RegExp(`^${people}$`), saw: undefined },
  subject: { pattern: new RegExp(`^[tp]${id}$`), saw: undefined },
  any: { pattern: /^/, saw: undefined },
} as const;

/** Types of the parts that are more than text. */
interface Parts {
  user: UserId;
  tweet: TweetId;
  list: ListId;
  people: ConversationId;
  client: ClientId;
  nth: number;
}

type PartsOf<Pattern extends string> = Pattern extends `${string}<${infer Part}>${infer Rest}`
  ? [Part extends keyof Parts ? Parts[Part] : string, ...PartsOf<Rest>]
  : [];

type Spelling<Pattern extends string> = Pattern extends `${string}<${string}`
  ? (...parts: PartsOf<Pattern>) => string
  : Pattern;

type Spellings<Table extends Record<string, Row>> = {
  readonly [Name in keyof Table]: Spelling<Table[Name]["pattern"]>;
};

/** The names of a table's keys: text, or functions of the parts that change, in their order. */
export function spellings<Table extends Record<string, Row>>(table: Table): Spellings<Table> {
  const entries = Object.entries(table).map(([name, { pattern }]) => [name, spelling(pattern)]);
  return Object.fromEntries(entries) as Spellings<Table>;
}

function spelling(pattern: string): unknown {
  const [first = "", second, third] = pattern.split(/<\w+>/);
  if (second === undefined) return first;
  if (third === undefined) return (part: string) => first + part + second;
  return (part: string, other: string) => first + part + second + other + third;
}
