import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { TweetId, UploadId, UserId, Stamp } from "./domain/ids.ts";
import type { Memory } from "./redis/memory.ts";
import type { RedisClient } from "./redis/redis-client.ts";
import type { Storage } from "./storage/storage.ts";

/** Promises of work, stored in Redis: once the returned promise resolves, a crash does not lose the work. */
export interface Jobs {
  /** Delivers a tweet to its author's followers. Promised twice, it is delivered once an hour, except for "again". */
  deliverTweet(tweet: TweetId, how?: "again"): Promise<void>;
  /** Delivers it to the followers after the stamp `after`, in a queue of its own. */
  spreadTweet(tweet: TweetId, after: Stamp): Promise<void>;
  /**
   * A small piece of work without a waiting user; see Chores. Runs at once, or a little "later", when the
   * request that promised it is over, in an hour, or a day later. A chore that works on the whole site is promised once
   * for each of these times: while it waits or runs, promising it again does nothing.
   */
  chore<Name extends keyof Chores>(
    name: Name,
    data: Chores[Name],
    when?: "now" | "later" | "inAnHour" | "tomorrow",
  ): Promise<void>;
  /**
   * Continues long work for one account, in a queue of its own; `delay` in milliseconds. A late look at an import stands
   * for others that are promised within half its delay.
   */
  workOnAccount(work: AccountWork, delay?: number): Promise<void>;
  /**
   * Converts an uploaded picture, in a queue of its own: it takes a second of a core. Users take turns: the first
   * picture of each comes before the second of any. `nth` counts those of the user that are not converted, from 1.
   */
  preparePicture(work: ConversionWork, nth: number): Promise<void>;
  /** Sends a mail, in a queue of its own: a mail server that is down must not delay other work. */
  mail(mail: MailWork): Promise<void>;
  /** Pushes a notification to the devices of its user, in a queue of its own: push services may be slow. */
  push(work: PushWork): Promise<void>;
  /** Asks another site, in a queue of its own: it may be slow. */
  visit(work: FetchWork): Promise<void>;
  /** Tells REPORT_WEBHOOK_URL, if it is set, of a report: once an hour for each subject. */
  tellOfReport(report: ReportNotice): Promise<void>;
  counts(): Promise<JobCount[]>;
  /** Milliseconds since 1970 since when the first waiting job of each queue is due; undefined if none waits. */
  waitingSince(): Promise<{ queue: string; since: number | undefined }[]>;
  failed: FailedJobs;
}

/** Jobs that failed for good, by the name of their queue. All throw NotFound if there is no such queue. */
export interface FailedJobs {
  /** Newest first. */
  page(
    queue: string,
    range: { start: number; limit: number },
  ): Promise<{ jobs: FailedJob[]; hasMore: boolean }>;
  /** Undefined if it is gone or was tried again. */
  find(queue: string, id: string): Promise<FailedJob | undefined>;
  /** Runs one again, with all of its attempts. Does nothing if it is gone. */
  retry(queue: string, id: string): Promise<void>;
  /** The oldest thousand. */
  retryAll(queue: string): Promise<void>;
  /** Does nothing if it is gone. */
  remove(queue: string, id: string): Promise<void>;
}

export interface FailedJob {
  id: string;
  name: string;
  /** Ids of what it is about, such as "tweet 12". */
  about: string[];
  attempts: number;
  reason: string;
  /** Milliseconds since 1970. */
  failedAt: number;
}

/** Each job does one bounded step and promises the next. May run twice. */
export type AccountWork =
  | { task: "import"; user: UserId }
  /** The last pass erases what was still being written during the first one. */
  | { task: "erase"; user: UserId; pass: "first" | "last" };

/** An upload of a user. */
export interface PictureWork {
  user: UserId;
  upload: UploadId;
}

/** `from`: the network that pays for what is stored, see domain/users/payer.ts. */
export type ConversionWork = PictureWork & { from?: string | undefined };

/** `activity`: a member of a user's list of notifications, "like:12:7". */
export interface PushWork {
  to: UserId;
  activity: string;
}

/** Looks at the page of a user's website; or tells the hub that the user's feeds have changed. */
export interface FetchWork {
  kind: "website" | "hub";
  user: UserId;
}

/** A mail to a user, or a request for one. No secret, and no address but a typed one: the job reads or makes these. */
export type MailWork =
  /** `account`: a name or an address, typed by anybody. `from`: digest of the client's network; absent in old jobs. */
  | { kind: "forgot"; account: string; from?: string }
  | { kind: "confirm"; user: UserId; request?: string }
  | { kind: "reset"; user: UserId }
  /** The weekly mail that is due at this time, in milliseconds since 1970. */
  | { kind: "digest"; user: UserId; due: number }
  | MailNotice;

/** `at`: milliseconds since 1970. `device`: name of a browser. Factors: passkeys, authenticator app, recovery codes. */
export type MailNotice =
  | { kind: "password" | "factors"; user: UserId; at: number }
  | { kind: "signIn"; user: UserId; at: number; device: string };

/** What leaves the site about a report: no names and no words of users. */
export interface ReportNotice {
  /** "t" and the id of a tweet, or "p" and that of a user. */
  subject: string;
  reason: string;
}

/** Data of each chore. A chore reads the truth and makes all other data agree; it may run twice. */
export interface Chores {
  /** Makes both ends agree with whether `follower` follows `followee`. */
  "reconcile-follow": { follower: UserId; followee: UserId };
  /** … with whether `follower` asks to follow `followee`, or was accepted. */
  "reconcile-request": { followee: UserId; follower: UserId };
  /** Accepts the next of the requests to follow a user who is not protected any more. */
  "accept-requests": { user: UserId };
  /** Counts the replies and retweets of a user, or no more, by whether the user is protected; those after the stamp. */
  "reconcile-protection": { user: UserId; after: Stamp };
  /** … with whether `blocker` has blocked `blocked`. */
  "reconcile-block": { blocker: UserId; blocked: UserId };
  /** … with whether `user` likes `tweet`. */
  "reconcile-like": { user: UserId; tweet: TweetId };
  /** … with whether `user` retweets `tweet`. */
  "reconcile-retweet": { user: UserId; tweet: TweetId };
  /** Removes the rest of a deleted tweet from all lists. */
  "reconcile-deletion": { tweet: TweetId };
  /** Keeps and lists a user whose sign-up is committed. */
  "reconcile-sign-up": { user: UserId };
  /** Makes the search for people agree with a user's name, full name or absence. */
  "index-person": { user: UserId };
  /** Makes a user's `avatar` agree with the stored picture, or with its absence. */
  "reconcile-avatar": { user: UserId };
  /** Deletes the files of an upload that no tweet shows. */
  "reconcile-upload": PictureWork;
  /** Counts what an account keeps: see accounts/count-storage.ts. */
  "count-storage": { user: UserId };
  /** Deletes the files of a header picture, a value of `header` in a user's hash, that the user does not have. */
  "reconcile-header": { user: UserId; header: string };
  /** Makes the list of a mail address agree with whether it is the user's; `digest` is that of the address. */
  "reconcile-mail": { user: UserId; digest: string };
  /** Tells authors of the polls that have ended, and promises to tell the voters. */
  "end-polls": Record<string, never>;
  /** Tells the voters of a poll, from the cursor on, that it has ended; `stamp`: of their notifications. */
  "tell-voters": { tweet: TweetId; stamp: Stamp; cursor: string };
  /** Notifies the users who asked for it, after the stamp `after`, of a new tweet. */
  "notify-watchers": { tweet: TweetId; after: Stamp };
  /** Removes a tweet, if it was deleted, from the lists of its words. */
  "unindex-tweet": { tweet: TweetId; author: UserId; terms: string[] };
  /** Makes search, tags and notifications agree with a tweet that was edited; see reconcile-edit.ts. */
  "reconcile-edit": {
    tweet: TweetId;
    author: UserId;
    at: Stamp;
    terms: string[];
    called: UserId[];
  };
  /** Indexes the next of the people and tweets that wait for it since an upgrade. */
  "index-older": Record<string, never>;
  /** Seals the next run of tweets: see search/seal-tweets.ts. */
  "seal-tweets": Record<string, never>;
  /**
   * Deletes the next tweets of a user that are too old, of the list after the stamp: see accounts/self-deletion.ts.
   * `since`: of the user's choice; 0 for the host's bound.
   */
  "delete-old-tweets": {
    user: UserId;
    since: number;
    list: "userTimeline" | "sentMessages";
    after: Stamp;
  };
  /** Finds the users whose old tweets delete themselves. */
  "find-old-tweets": Record<string, never>;
  /** Promises the weekly mails that are due. */
  "send-digests": Record<string, never>;
  /** Sends the drafts whose time has come. */
  "send-drafts": Record<string, never>;
  /** Measures the site, unless that was done today: see site/growth.ts. */
  "measure-site": Record<string, never>;
}

/** Number of jobs of a queue in one state: waiting, active, delayed, failed. */
export interface JobCount {
  queue: string;
  state: string;
  count: number;
}

/** Dependencies of all domain verbs. */
export interface Ctx {
  redis: RedisClient;
  /** This process's cache of Redis, for reads that decide nothing. */
  memory: Memory;
  /** Keeps pictures. Undefined: this site has none in tweets. */
  storage: Storage | undefined;
  jobs: Jobs;
  log: Logger;
  /** Milliseconds since 1970. */
  now(): number;
  config: Config;
}
