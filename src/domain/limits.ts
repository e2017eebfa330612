/** Number of points in a window of time; after it, all of them are restored at once. */
export interface Limit {
  points: number;
  seconds: number;
}

/** Limits of one account, and of one address (IPv6: one /64). */
export interface Limits {
  account?: Limit;
  address?: Limit;
  /** Signed-in users count by account only, all others by address only. */
  either?: true;
  /** Stricter on an account's first day, see limitOf. */
  firstDay?: true;
}

const per = (points: number, seconds: number): Limit => ({ points, seconds });
const minutes = 60;
const hours = 60 * minutes;
const days = 24 * hours;

const firstDay = true;

/** Points of a mention or a reply to a user who does not follow the author; to a follower it costs one. */
export const strangerPoints = 10;

/**
 * All limits of the site, except those of a process (turns of passwords and pictures, sizes of bodies). Each can
 * be set: LIMIT_SIGN_UPS for `signUps`, see limit-settings.ts. People need less; actions that remove something
 * have no limit. Reasons: docs/decisions/0026-limits-in-one-place.md.
 */
export const actLimits = {
  /** Requests to the API. */
  requests: { account: per(300, 5 * minutes), address: per(300, 5 * minutes), either: true },
  /** Views of profiles, their lists and their feeds. */
  lookups: { account: per(300, 5 * minutes), address: per(300, 5 * minutes), either: true },
  searches: { account: per(300, 5 * minutes), address: per(200, 5 * minutes), either: true },
  /** Completions of names and tags: a script asks while a user types. */
  completions: { account: per(600, 5 * minutes), address: per(300, 5 * minutes), either: true },

  /** Accounts made; refused ones do not count. A class of thirty signs up in a lesson, all at one address. */
  signUps: { address: per(40, hours) },
  /**
   * Submitted sign-up forms, including refused ones: they tell which names are taken. Each of the thirty may correct
   * the form twice.
   */
  signUpForms: { address: per(100, 15 * minutes) },
  /** Invitations made. */
  invitations: { account: per(50, days), address: per(200, days), firstDay },
  /** Registered apps. */
  apps: { address: per(60, days) },
  /** Challenges for passkeys. */
  challenges: { account: per(100, 15 * minutes), address: per(300, 15 * minutes), either: true },
  /** Passkeys and authenticator apps added. */
  factors: { account: per(60, hours), address: per(300, hours) },
  /** Codes and tokens for apps. */
  tokens: { account: per(100, hours), address: per(300, 15 * minutes) },

  /** Tweets, replies and quotes. On the first day 60 in 3 hours: a newcomer on a busy launch day posts 40. */
  tweets: { account: per(300, 3 * hours), address: per(1500, 3 * hours), firstDay },
  /** Edits of tweets. */
  edits: { account: per(120, hours), address: per(600, hours), firstDay },
  /** Each user that a tweet mentions or answers; see strangerPoints. */
  mentions: { account: per(800, hours), address: per(4000, hours), firstDay },
  retweets: { account: per(300, 3 * hours), address: per(1500, 3 * hours), firstDay },
  /** Likes and bookmarks. */
  likes: { account: per(600, hours), address: per(3000, hours), firstDay },
  /** Notifications of one account's acts to a user who does not follow it and has not called it. */
  notices: { account: per(20, days), firstDay },
  /** The same of all accounts on their first day together, but for the first of each. */
  newcomerNotices: { account: per(10, days) },
  /** These first ones: a few accounts cannot use up what others have. */
  newcomerFirstNotices: { account: per(40, days) },
  /** On the first day 100: a newcomer follows sixty people. Of a class of thirty each follows all others: 870. */
  follows: { account: per(500, days), address: per(2500, days), firstDay },
  /** Blocks and mutes, of people and of words. */
  blocks: { account: per(500, hours), address: per(2500, hours) },
  /** Lists of people made or changed, and members added. */
  lists: { account: per(600, hours), address: per(3000, hours) },
  /** Push subscriptions made or changed. */
  pushes: { account: per(120, hours), address: per(600, hours) },
  reports: { account: per(60, hours), address: per(300, hours), firstDay },
  /** Changes of profile, pinned tweet or language. */
  profile: { account: per(120, hours), address: per(600, hours) },
  /** Uploaded pictures. On the first day 30: seven tweets full of pictures in an hour. */
  uploads: { account: per(150, hours), address: per(750, hours), firstDay },
  /** Mail addresses to confirm: each sends a mail. */
  mails: { account: per(10, days), address: per(50, days), firstDay },
  /** Ways back into an account: recovery codes, links, and mails that are asked for. */
  rescues: { address: per(60, hours) },
  /** Imported files: each waits in Redis, up to 20 MB, until it is imported. */
  imports: { account: per(10, days), address: per(20, days), firstDay },

  /** Budgets: what an account may store, or have worked on, in a day by all ways together; see users/budgets.ts. */
  /** Search: ten points for a new word or pair of characters, one for any other. */
  terms: { account: per(500_000, days) },
  /**
   * Imported tweets, of about 800 bytes of Redis each: 80 MB a day from one address. On the first day an account
   * brings 10,000, three a day for nine years; the rest comes with the same file on the next day.
   */
  importedTweets: { account: per(50_000, days), address: per(100_000, days), firstDay },
  /**
   * Stored pictures; a photo takes 300 to 500 in all its sizes. On the first day 80 photos, and for all new accounts
   * at one address 800: a class of thirty, each with 26.
   */
  pictureKilobytes: { account: per(200_000, days), address: per(1_000_000, days), firstDay },
  /**
   * Seconds of a core for drawing uploads: a photo takes one or two, the worst picture ten. An account with all of
   * them takes a 70th of a core; on its first day they are enough for a hundred photos.
   */
  drawing: { account: per(1200, days), firstDay },
} as const satisfies Record<string, Limits>;

export type Act = keyof typeof actLimits;

/** Acts that jobs pay for afterwards, by what they stored or took. */
export type Budget = "terms" | "importedTweets" | "drawing" | "pictureKilobytes" | "follows";

/** Wrong passwords and codes; right ones do not count. */
export const guessLimits = {
  /** From one address, for all names. */
  address: per(100, 15 * minutes),
  /** For one name, from one address. */
  nameFromAddress: per(10, 15 * minutes),
  /** The same in a day, by network (IPv6: one /48): none alone uses up those of the name. */
  nameFromNetwork: per(20, days),
  /** For one name, from all browsers that have never signed in with it. */
  name: per(100, days),
  /** For one name, from one browser that has. */
  browser: per(10, 15 * minutes),
  /** For one name, from all browsers that have, together: an owner uses three at most at a time. */
  knownBrowsers: per(30, 15 * minutes),
  /** By signed-in users, where they must type it again. */
  signedIn: per(10, 15 * minutes),
} as const satisfies Record<string, Limit>;

export type Guess = keyof typeof guessLimits;

/** Mails of a kind to one address: no client can flood the mailbox of another user. */
export const mailLimits = {
  confirm: per(5, days),
  reset: per(12, days),
  password: per(20, days),
  signIn: per(20, days),
  factors: per(20, days),
} as const satisfies Record<string, Limit>;

export type MailKind = keyof typeof mailLimits;

/** Of those that clients ask for, to one mail address, from one network: so none uses up those of the owner. */
export const mailsAskedFor: Limit = per(3, days);

/** What the operator or a test has changed. */
interface LimitConfig {
  /** By name, such as "tweets:account". A number changes the points only. */
  limits: Readonly<Record<string, number | Limit>>;
  limitFactor: number;
  /** Points of an account on its first day, as a share of all. */
  firstDayShare: number;
}

/** The limit that counts under a name: `row`, unless it is configured. */
export function configured({ limits, limitFactor }: LimitConfig, name: string, row: Limit): Limit {
  const set = limits[name] ?? row.points * limitFactor;
  return typeof set === "number" ? { ...row, points: set } : set;
}

/** Accounts on their first day, and the address that all of these at one address share, are counted apart. */
export type Holder = "account" | "address" | "newAccount" | "newAddress";

/** Min points of an account on its first day. */
const leastPoints = 3;
/** New accounts at one address have together the points of this many older accounts. */
const newcomersShare = 2;

/**
 * The limit of an act. An account on its first day has a share of the points. All such accounts at one address
 * together have the points of two older accounts: so they do not use up those of other users there.
 */
export function limitOf(config: LimitConfig, act: Act, holder: Holder): Limit {
  const row: Limits = actLimits[act];
  const usual = holder === "address" ? row.address : row.account;
  if (usual === undefined) throw new TypeError(`no limit of ${act} for one ${holder}`);
  const isNew = holder === "newAccount" || holder === "newAddress";
  const limit = configured(config, `${act}:${isNew ? "account" : holder}`, usual);
  if (!isNew) return limit;
  const share = holder === "newAccount" ? config.firstDayShare : newcomersShare;
  const points = Math.max(leastPoints, Math.floor(limit.points * share));
  return configured({ ...config, limitFactor: 1 }, `${act}:${holder}`, { ...limit, points });
}
