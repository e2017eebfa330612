/** A class of limits, which a host sets as one: LIMIT_TWEETS for `tweets`, see limits.ts. */
interface LimitClassRow {
  /** Of one account; after the comma of one address (IPv6: one /64). A single figure is of whom `by` says. */
  limit: string;
  /** Who is counted; default: the account, and its address. "either": the address of signed-out users only. */
  by?: "either" | "address";
  /** Points of one, so that a verb can cost a part of it; default: 1. */
  unit?: number;
  /** Stricter on an account's first day, see limits.ts. */
  firstDay?: true;
  /** Points come back: no process may remember that there is none left. */
  givesBack?: true;
  /** Not raised by tests and benches. */
  strict?: true;
  /** What counts, and for how many points. */
  verbs?: Readonly<Record<string, number>>;
  /** Further counters: a multiple of an account's figure, in its window or in other seconds. */
  parts?: Readonly<Record<string, readonly [times: number, seconds?: number]>>;
}

const day = 86_400;
const firstDay = true;

/**
 * All limits of the site, except those of a process (turns of passwords and pictures, sizes of bodies). People need
 * less, and what takes something away has no limit. Reasons: docs/decisions/0026-limits-in-one-place.md.
 */
export const limitClasses = {
  /** A page a second. Each app of a user counts by itself. A challenge for a passkey is stored for a while. */
  reads: { limit: "300/5m,300/5m", by: "either", verbs: { request: 1, view: 1, askForPasskey: 3 } },
  /** A search asks more of Redis than a page. A script completes names while a user types. */
  searches: { limit: "300/5m,200/5m", by: "either", unit: 2, verbs: { search: 2, complete: 1 } },
  /** A class of thirty signs up in a lesson, all at one address, and each corrects the form twice. */
  signUps: {
    limit: "40/1h",
    by: "address",
    unit: 10,
    givesBack: true,
    /** A refused form only tells that a name is taken. An app takes a fifth of an account's place. */
    verbs: { signUp: 10, refusedSignUp: 1, registerApp: 2 },
  },
  /** Wrong passwords and codes, and other tries to get in. Account: one name from one address. */
  logIns: {
    limit: "10/15m,100/15m",
    by: "address",
    strict: true,
    verbs: { rescue: 1 },
    parts: {
      /** For one name, from one network (IPv6: one /48): none alone uses up those of the name. */
      network: [2, day],
      /** For one name, from all browsers that have never signed in with it. */
      name: [10, day],
      /** For one name, from one browser that has; and from all of these: an owner uses three at most at a time. */
      browser: [1],
      knownBrowsers: [3],
      /** By signed-in users, where they must type it again. */
      signedIn: [1],
    },
  },
  /** On the first day 60 in 3 hours: a newcomer on a busy launch day posts 40. An edit is half: followers have it. */
  tweets: {
    limit: "300/3h,1500/3h",
    unit: 12,
    firstDay,
    verbs: { tweet: 12, edit: 6, mention: 1 },
  },
  /** 900 an hour are fifteen a minute; on the first day three. A retweet is delivered as a tweet is: 100 an hour. */
  reactions: {
    limit: "900/1h,4500/1h",
    firstDay,
    verbs: { like: 1, bookmark: 1, vote: 1, readHome: 1, retweet: 9 },
  },
  /** On the first day 100: a newcomer follows sixty people. Of a class of thirty each follows all others: 870. */
  follows: { limit: "500/1d,2500/1d", firstDay, verbs: { follow: 1 } },
  /** Notifications by an account of a user who does not follow it and has not called it: four on its first day. */
  notices: {
    limit: "20/1d",
    firstDay,
    /** Of one user by all accounts on their first day, the first of each apart: a few do not use up those of others. */
    parts: { newcomers: [0.5], newcomersFirst: [2] },
  },
  /** What users change for themselves: 900 an hour, fifteen a minute; on the first day three. */
  changes: {
    limit: "900/1h,4500/1h",
    firstDay,
    verbs: {
      block: 1,
      mute: 1,
      filter: 1,
      list: 1,
      draft: 1,
      steerImport: 1,
      /** Sends up to 5 MB: 150 an hour. What is kept of it counts as pictures. */
      upload: 6,
      /** Others see these: 128 an hour. */
      profile: 7,
      pin: 7,
      push: 7,
      /** New ways into the account: 100 and 60 an hour. */
      allowApp: 9,
      factor: 15,
    },
  },
  /** Moderators read each. */
  reports: { limit: "60/1h,300/1h", firstDay, verbs: { report: 1 } },
  /**
   * Photos, of 300 to 500 kB and a second or two of a core. On the first day some 70, and for all new accounts at one
   * address 700: a class of thirty, each with 24. The worst picture takes ten seconds.
   */
  pictures: {
    limit: "400/1d,2000/1d",
    unit: 500,
    firstDay,
    verbs: { pictureKilobyte: 1, drawingSecond: 100 },
  },
  /** Mails to confirm an address. An invitation sends none: 50 a day. */
  mails: {
    limit: "10/1d,50/1d",
    unit: 5,
    firstDay,
    verbs: { mail: 5, invite: 1 },
    /** To one mailbox: no client can flood that of another user. Asked: of the first two, from one network. */
    parts: { confirm: [0.5], reset: [1.2], password: [2], signIn: [2], factors: [2], asked: [0.3] },
  },
  /**
   * Files of up to 20 MB with 2,500 tweets, of 800 bytes of Redis each: 80 MB a day from one address. On the first day one
   * with 12,500 tweets; the rest comes with the same file on the next day.
   */
  imports: {
    limit: "10/1d,20/1d",
    unit: 5000,
    firstDay,
    verbs: { import: 2500, importedTweet: 1 },
    /** Search, of all tweets of an account: ten points for a new word or pair of characters, one for any other. */
    parts: { terms: [50_000] },
  },
} as const satisfies Record<string, LimitClassRow>;

export type LimitClass = keyof typeof limitClasses;

type KeysIn<Class extends LimitClass, Field extends "verbs" | "parts"> =
  (typeof limitClasses)[Class] extends Record<Field, infer Table> ? keyof Table & string : never;

/** What counts, such as "tweet". */
export type CountedVerb = { [Class in LimitClass]: KeysIn<Class, "verbs"> }[LimitClass];

/** Accounts on their first day, and the address that all of these at one address share, are counted apart. */
type Holder = "account" | "address" | "newAccount" | "newAddress";

/** Name of a counter, such as "tweets:account" or "logIns:browser". */
export type LimitName = {
  [Class in LimitClass]: `${Class}:${Holder | KeysIn<Class, "parts">}`;
}[LimitClass];

/** Kinds of mails, each counted for its mailbox. */
export type MailKind = Exclude<KeysIn<"mails", "parts">, "asked">;

export const classNames = Object.keys(limitClasses) as LimitClass[];

export const limitRows: Readonly<Record<LimitClass, LimitClassRow>> = limitClasses;

export const costs = Object.fromEntries(
  classNames.flatMap((limitClass) =>
    Object.entries(limitRows[limitClass].verbs ?? {}).map(([verb, points]) => [
      verb,
      { limitClass, points },
    ]),
  ),
) as Readonly<Record<CountedVerb, { limitClass: LimitClass; points: number }>>;
