/** So many points in so many seconds, after which they all come back at once. */
export interface Limit {
  points: number;
  seconds: number;
}

/** How often something may be done: by one account, and from one address (of IPv6: from one /64). */
export interface Limits {
  account?: Limit;
  address?: Limit;
  /** Counted for the account of those who are signed in, and for the address of all others only. */
  either?: true;
}

const per = (points: number, seconds: number): Limit => ({ points, seconds });
const minutes = 60;
const hours = 60 * minutes;
const days = 24 * hours;

/**
 * What may be done how often: all limits of the site but those of its process (the turns of passwords and
 * pictures, the bytes of bodies). More than people need; what takes something away has no limit.
 * docs/decisions/0026-limits-in-one-place.md says why they are as they are.
 */
export const actLimits = {
  /** Requests to the API. */
  requests: { account: per(300, 5 * minutes), address: per(300, 5 * minutes), either: true },
  /** Looks at profiles, their lists and their feeds. */
  lookups: { account: per(300, 5 * minutes), address: per(300, 5 * minutes), either: true },
  searches: { account: per(300, 5 * minutes), address: per(200, 5 * minutes), either: true },

  /** Accounts that were made; what was refused does not count. */
  signUps: { address: per(10, 30 * minutes) },
  /** Forms to sign up, refused or not: they tell which names are taken. */
  signUpForms: { address: per(60, 15 * minutes) },
  /** Apps that registered themselves. */
  apps: { address: per(60, days) },
  /** Codes and tokens for apps. */
  tokens: { account: per(100, hours), address: per(300, 15 * minutes) },

  /** Tweets, replies and quotes. */
  tweets: { account: per(300, 3 * hours), address: per(1500, 3 * hours) },
  /** Each @name in a tweet. */
  mentions: { account: per(500, hours), address: per(2500, hours) },
  retweets: { account: per(300, 3 * hours), address: per(1500, 3 * hours) },
  /** Likes and bookmarks. */
  reactions: { account: per(600, hours), address: per(3000, hours) },
  follows: { account: per(500, days), address: per(2500, days) },
  /** Blocks and mutes, of people and of words. */
  blocks: { account: per(500, hours), address: per(2500, hours) },
  reports: { account: per(60, hours), address: per(120, hours) },
  /** Changes of a profile, a pinned tweet, a language. */
  profile: { account: per(120, hours), address: per(600, hours) },
  /** Pictures. */
  uploads: { account: per(60, hours), address: per(300, hours) },
  /** Files of exported data. */
  imports: { account: per(10, days), address: per(30, days) },
} as const satisfies Record<string, Limits>;

export type Act = keyof typeof actLimits;

/** Wrong passwords. Right ones do not count. */
export const guessLimits = {
  /** From one address, for whatever names. */
  address: per(100, 15 * minutes),
  /** For one name, from one address. */
  nameFromAddress: per(10, 15 * minutes),
  /** For one name, from all browsers that have never signed in to it. */
  name: per(100, days),
  /** For one name, from one browser that has. */
  browser: per(10, 15 * minutes),
  /** By those who are signed in, where they have to type it. */
  signedIn: per(10, 15 * minutes),
} as const satisfies Record<string, Limit>;

export type Guess = keyof typeof guessLimits;

/** What one account may bring to be kept in a day, in all ways together. */
export const budgets = {
  /** Search: ten points for a word or pair of characters that nobody has used, one for any other. */
  terms: per(500_000, days),
  /** Tweets that were written somewhere else: about 500 bytes each. */
  importedTweets: per(50_000, days),
} as const satisfies Record<string, Limit>;

export type Budget = keyof typeof budgets;
