import type { UserId } from "../domain/ids.ts";
import {
  days,
  family,
  hash,
  minutes,
  type Row,
  spellings,
  stream,
  string,
  zset,
} from "./key-rows.ts";

/**
 * All keys of Suzume, and the facts about them that erasing an account, the doctor, the trims and the bounds of
 * docs/redis-keys.md follow. Bounds that no key has by itself are in words. A new key is one row here and one there.
 */
export const keyTable = {
  /** The highest user id that was given out. */
  userIds: string("user:ids"),
  /** The highest tweet id that was given out. */
  tweetIds: string("tweet:ids"),
  /** The highest number of an app that was given out. */
  appIds: string("app:ids"),

  /** The account; docs/redis-keys.md tells its fields. */
  user: hash("user:<user>", { ttl: "sometimes" }),
  /** The picture that a user uploaded, a WebP; `avatar` of the account is its digest. */
  avatar: string("user:<user>:avatar", { most: 16_384, onErase: "unlink" }),
  /** Upload id → JSON of what was asked for (stamp, description); with ":made" → JSON of picture or problem. */
  uploads: hash("user:<user>:uploads", { ttl: 3 * days, most: 2000, onErase: "unlink" }),
  /** Upload id → id of the tweet that shows the picture */
  pictures: hash("user:<user>:pictures", { onErase: "step" }),
  /** Draft id → JSON of a tweet to be: text, pictures and so on, and when it is sent; see tweets/saved-drafts.ts. */
  savedDrafts: hash("user:<user>:drafts", { most: 400, onErase: "step" }),
  /** Upload id → bytes of its files; "pictures" → their sum; "texts" → bytes of all texts, and when they were counted. */
  storedBytes: hash("user:<user>:stored_bytes", { onErase: "unlink" }),
  /** "1"; the page of a user's website was looked at. DIGEST is that of the user and the address. */
  websiteCheck: string("website:<digest>", { ttl: days }),
  /** Id of the one user who has or had this folded name; "claimed:" and the id for 15 seconds before. */
  username: string("username:<name>", { ttl: "sometimes" }),
  /** Session id → stamp of its sign-in. */
  sessions: zset("user:<user>:sessions", { ttl: 90 * days, newest: 50, onErase: "step" }),
  /** Count and since (a stamp) of the wrong passwords typed for a user. */
  guesses: hash("user:<user>:guesses", { ttl: 30 * days, onErase: "unlink" }),
  /** Digest of a token → generation, next and end as JSON; log-ins that wait for a code */
  pendingSecondFactors: hash("user:<user>:half_open", {
    ttl: 10 * minutes,
    most: 10,
    onErase: "unlink",
  }),
  /** Credential id → a passkey as JSON: name, public key, counter, transports, times */
  passkeys: hash("user:<user>:passkeys", { most: 20, onErase: "unlink" }),
  /** Secret (sealed), created_at, step (of the last code used); the authenticator app of a user. */
  totp: hash("user:<user>:totp", { onErase: "unlink" }),
  /** The sealed secret of an authenticator app that is not on yet */
  totpSetup: string("user:<user>:totp_setup", { ttl: 15 * minutes, onErase: "unlink" }),
  /** What a passkey is asked for, by the digest of its challenge */
  challenge: string("challenge:<digest>", { ttl: 5 * minutes }),
  /** Digest of a recovery code → "unused", or the id of its one use. */
  recoveryCodes: hash("user:<user>:recovery_codes", { most: 10, onErase: "unlink" }),
  /** Digest of a link to set a new password → generation, until as JSON */
  resetLinks: hash("user:<user>:reset_links", { ttl: days, most: 20, onErase: "unlink" }),
  /** JSON of a mail address that waits to be confirmed, with the digest of its link */
  mailPending: string("user:<user>:mail_pending", { ttl: days, onErase: "unlink" }),
  /** User ids of the accounts of a mail address, all scores 0; the mirror of their `mail`. */
  mailUsers: zset("mail:<digest>", { members: "user" }),
  /** Id, started_at, total, parts, place, wish, preview and progress (JSON) of a user's latest import */
  import: hash("user:<user>:import", { ttl: 7 * days, onErase: "step" }),
  /** Number → JSON list of the remaining items of an import */
  importItems: hash("user:<user>:import_items:<import>", { ttl: 7 * days, onErase: "step" }),
  /** Token of the job that works on a user's import; renewed. Longer than a silent job lives, see jobs/queue-worker.ts */
  importClaim: string("user:<user>:import_claim", { ttl: 150, onErase: "unlink" }),
  /** Digest of an original tweet → "tweet id:import id" of its copy here; "follow:user" → "user:import id" */
  imported: hash("user:<user>:imported", { ttl: "TIMELINE_TTL_DAYS", onErase: "unlink" }),
  /** User id → milliseconds since 1970 when the next weekly mail is due; those who want one. */
  digests: zset("users:weekly", { members: "user" }),
  /** User id → stamp of the sign-up. */
  newestUsers: zset("users:newest", { newest: 1000, members: "user" }),

  /** An app as JSON, with a digest of its secret; for good once a user has allowed it. */
  app: string("app:<client>", { ttl: "sometimes" }),
  /** Digest of an app's own token → its grant as JSON */
  appTokens: hash("app:<client>:tokens", { ttl: 7 * days, most: 10 }),
  /** Digest of a token → app, scopes, created_at, used_at as JSON; the apps that the user has allowed, at most 100. */
  tokens: hash("user:<user>:tokens", { most: 100, onErase: "unlink" }),
  /** Digest of an authorization code → consent and user as JSON */
  codes: hash("user:<user>:codes", { ttl: 10 * minutes, most: 20, onErase: "unlink" }),

  /** User id → stamp of the follow */
  followers: zset("user:<user>:followers", { members: "user", onErase: "edge" }),
  /** User id → stamp of the follow; the truth about follows */
  followings: zset("user:<user>:followings", { members: "user", onErase: "edge" }),
  /** User id → stamp of a request to follow, negative once it is accepted; the truth about requests */
  followRequests: zset("user:<user>:follow_requests", { members: "user", onErase: "edge" }),
  /** User id → stamp; the users whom this user asks to follow. */
  requested: zset("user:<user>:requested_follows", { members: "user", onErase: "edge" }),
  /** User id → stamp; followed users whose retweets this user does not want at home. */
  withoutRetweets: zset("user:<user>:without_retweets", { members: "user", onErase: "unlink" }),
  /** User id → stamp; the followers who are notified of each new tweet of this user. */
  watchers: zset("user:<user>:watchers", { members: "user", onErase: "unlink" }),

  /** User id → stamp; the users that this user has muted for ever. */
  mutes: zset("user:<user>:mutes", { onErase: "unlink" }),
  /** User id → stamp of the end; the users that this user has muted for a time */
  timedMutes: zset("user:<user>:timed_mutes", { most: 1000, onErase: "unlink" }),
  /** User id → stamp; the users that this user has blocked. */
  blocks: zset("user:<user>:blocks", { members: "user", onErase: "edge" }),
  /** User id → stamp; the mirror of other users' blocks. */
  blockedBy: zset("user:<user>:blocked_by", { members: "user", onErase: "edge" }),
  /** Filter id → title, action, contexts, until and keywords as JSON; filters and muted words */
  filters: hash("user:<user>:filters", { most: 200, onErase: "unlink" }),
  /** Hashtag, folded → stamp; the hashtags that this user follows */
  followedTags: zset("user:<user>:followed_tags", { most: 50, onErase: "unlink" }),

  /** List id → title, replies and createdAt as JSON; lists of people, visible to their owner only */
  lists: hash("user:<user>:lists", { most: 50, onErase: "step" }),
  /** User id → stamp; the members of such a list */
  listMembers: zset("user:<user>:list:<list>", { most: 500, members: "user", onErase: "step" }),

  /** "kind:tweet id:actor id" (a follow has no tweet) → stamp; actions of others */
  notifications: zset("user:<user>:notifications", { newest: 1000, onErase: "unlink" }),
  /** "kind:tweet id:actor id" → milliseconds; what the user removed from that list in the last day */
  dismissed: zset("user:<user>:dismissed", { ttl: days, newest: 1000, onErase: "unlink" }),
  /** Tweet id → stamp, one for each conversation that this user has muted: its topmost tweet, and more below */
  mutedConversations: zset("user:<user>:muted_conversations", { newest: 1000, onErase: "unlink" }),
  /** Session id, or digest of an app's token → its push subscription as JSON, see domain/push */
  push: hash("user:<user>:push", { most: 25, spare: 1, onErase: "unlink" }),
  /** "digest of the subscription:kind:tweet id:actor id" → milliseconds; pushes of a day, at most 2,000. */
  pushed: zset("user:<user>:pushed", { ttl: days, most: 2000, spare: 200, onErase: "unlink" }),

  /** Tweet id → stamp; the messages of these people, see messages/people.ts. */
  conversation: zset("conversation:<people>", { members: "tweet" }),
  /** Conversation → stamp of its newest message; the conversations of a user */
  conversations: zset("user:<user>:conversations", {
    newest: 10_000,
    members: "people",
    onErase: "unlink",
  }),
  /** Conversation → the same; those that strangers began, until the user accepts them */
  messageRequests: zset("user:<user>:message_requests", {
    newest: 1000,
    members: "people",
    onErase: "unlink",
  }),
  /** Conversation → stamp of the newest message that was read; "left:" and a stamp once the user has left it */
  conversationMarks: hash("user:<user>:conversation_marks", {
    members: "people",
    onErase: "unlink",
  }),

  /**
   * The tweet, a tombstone once deleted; docs/redis-keys.md tells its fields. A draft, which expires after a minute, has
   * drafted_by, claim and generation instead of user_id.
   */
  tweet: hash("tweet:<tweet>", { ttl: "sometimes" }),
  /** Tweet id → stamp of the reply. */
  tweetReplies: zset("tweet:<tweet>:replies", { ttl: "sometimes", members: "tweet" }),
  /** Tweet id → stamp of the reply; the replies that are not for everyone. */
  hiddenReplies: zset("tweet:<tweet>:hidden_replies", { ttl: "sometimes", members: "tweet" }),
  /** User id → stamp; users who like it. */
  tweetLikes: zset("tweet:<tweet>:likes", { members: "user" }),
  /** User id → stamp; users who retweeted it. */
  tweetRetweets: zset("tweet:<tweet>:retweets", { members: "user" }),
  /** User id → stamp; those of them who are protected: they are not counted. */
  hiddenRetweets: zset("tweet:<tweet>:hidden_retweets", { members: "user" }),
  /** User id → what the user chose, "0,2"; the truth about votes. "voters", "n0" … "n3" → their numbers. */
  tweetVotes: hash("tweet:<tweet>:votes", { members: "user or number" }),
  /** Tweet id → its stamp; polls in which a user has voted, or was about to. */
  votes: zset("user:<user>:votes", { members: "tweet", onErase: "step" }),
  /** Tweet id → milliseconds when its poll ends; polls that have not ended. */
  endingPolls: zset("tweets:polls", { members: "tweet" }),
  /** Tweet id → stamp; liked tweets; the truth about likes. */
  likes: zset("user:<user>:likes", { members: "tweet", onErase: "edge" }),
  /** Tweet id → stamp; bookmarks, visible to their owner only */
  bookmarks: zset("user:<user>:bookmarks", { newest: 10_000, onErase: "unlink" }),
  /** Tweet id → id of this user's retweet of it. */
  retweets: hash("user:<user>:retweets", { members: "tweet", onErase: "edge" }),
  /** "tweet id:stamp" of the tweet from one submit of a form; a minute until it is committed. */
  nonce: string("user:<user>:nonce:<digest>", { ttl: days, onErase: "expires" }),

  /** Tweet id → stamp; all tweets of an author, including replies and retweets. */
  userTimeline: zset("user:<user>:user_timeline", { members: "tweet", onErase: "edge" }),
  /** Tweet id → stamp; the messages that a user wrote. */
  sentMessages: zset("user:<user>:sent_messages", { members: "tweet", onErase: "edge" }),
  /** "tweet id:author replied to" → stamp; those of them that answer others. */
  replies: zset("user:<user>:replies", { members: "tweet and user", onErase: "unlink" }),
  /** "tweet id:its author" → stamp; replies of others to a user. */
  answers: zset("user:<user>:answers", {
    newest: 1000,
    members: "tweet and user",
    onErase: "unlink",
  }),
  /** Tweet id → stamp, and the floor: see timelines/home-store.ts. */
  homeTimeline: zset("user:<user>:home_timeline", {
    ttl: "TIMELINE_TTL_DAYS",
    most: "TIMELINE_CAP",
    cache: true,
    onErase: "unlink",
  }),
  /** Bound of a bucket in seconds, or "more" → deliveries; milliseconds: of all. See domain/statistics.ts. */
  deliveryTimes: hash("tweets:deliveries", { most: 20 }),
  /** Tweet id → stamp; tweets of all users but replies and retweets. */
  globalTimeline: zset("tweets:global", { newest: 10_000, members: "tweet" }),

  /** "tweet id:author id" (and ":author replied to") → stamp, and the floor */
  bigTimeline: zset("tweets:big", { most: 10_000, members: "tweet and users" }),

  /** Tweet id → stamp; tweets with this word, character or pair of characters that are not sealed yet. */
  searchTerm: zset("search:<term>", { ttl: "sometimes", members: "tweet", cache: true }),
  /** The list of segments, and of keys to delete, as JSON: see search/segments.ts. */
  sealed: hash("sealed"),
  /** "tweet id:stamp of the listing, edit or deletion" → tweet id; tweets that are in no segment, or not as they are. */
  unsealed: zset("sealed:waiting"),
  /** Number of a block → stamps and ids of 256 tweets of a segment, by stamp; packed numbers. */
  sealedOrder: hash("sealed:<token>:order"),
  /** Term → positions of its tweets, packed; of the terms with many. */
  sealedLong: hash("sealed:<token>:long"),
  /** The same of some 300 other terms. */
  sealedTerms: hash("sealed:<token>:<nth>"),
  /** Tweet id → stamp; tweets with this hashtag, folded. */
  tag: zset("tag:<tag>", { ttl: 365 * days, newest: 10_000, members: "tweet", cache: true }),
  /** "tweet id:author id:tag" → stamp of the use. */
  tagUses: zset("tags:used", { ttl: days, newest: 10_000, cache: true }),
  /** "folded name user id" of the users found under this first character, all scores 0; at most 38 of each. */
  searchPeople: zset("people:<first>", { members: "words and user" }),
  /** The entries of `people:…` of a user, one per line. */
  indexedPerson: string("user:<user>:indexed", { onErase: "step" }),

  /** User id → stamp; suspended users; each one's suspended_at is the truth. */
  suspended: zset("users:suspended", { members: "user" }),
  /** "kind:text" of what the admins have blocked → stamp: see domain/blocks.ts. */
  siteBlocks: hash("site:blocks", { most: 1000, spare: 100 }),
  /** User id → milliseconds of the choice; users whose old tweets delete themselves. */
  selfDeleting: zset("users:self_deleting", { members: "user" }),
  /** User id → milliseconds when the next of a user's drafts is sent. */
  dueDrafts: zset("users:scheduling", { members: "user" }),
  /** User id → role; moderators and admins; `role` of each one is the truth. */
  staff: hash("users:staff", { members: "user" }),
  /** Subject ("t" + tweet id, "p" + user id) → stamp since when it waits for a decision. */
  openReports: zset("reports:open", { members: "subject" }),
  /** Reporter's user id → reason, comment and stamp as JSON; the open reports of a subject. */
  reportsOf: hash("report:<subject>", { most: 50, members: "user" }),
  /** Reports closed by the last decision, as in `reports` */
  resolvedReports: hash("report:<subject>:resolved", { ttl: 90 * days, most: 50 }),
  /** Subject → stamp; the open reports of a user. */
  reportsBy: zset("user:<user>:reports", { most: 20, members: "subject", onErase: "step" }),
  /** "subject outcome" → stamp of the decision; what became of a user's reports. */
  outcomes: zset("user:<user>:outcomes", { ttl: 90 * days, newest: 50, onErase: "unlink" }),
  /** Form (act), subject, by, verb and note of each entry of the audit log. */
  auditLog: stream("moderation:acts", { most: 10_000, spare: 200 }),

  /** User id → stamp of the sign-up; applicants who wait for an admin. */
  applicants: zset("users:waiting", { members: "user" }),
  /** Digest of a token → an invitation as JSON; half of them open, half ended. */
  invitations: hash("user:<user>:invitations", { most: 100, onErase: "step" }),
  /** Invitations made in the shell, as in `invitations`. */
  siteInvitations: hash("invitations:site", { most: 100 }),
  /** User id → stamp of their newest invitation. */
  inviters: zset("invitations:by", { members: "user" }),
  /** Version, cursor?, restoring?, unindexed?; see migrations/state.ts and search/index-older.ts. */
  siteData: hash("site:data"),
  /** JSON of what the doctor said last; see domain/site/numbers.ts. */
  checkup: string("site:checkup", { most: 1000 }),
  /** Day, "2026-11-22" → what was measured at its end, as JSON: see domain/site/growth.ts. */
  siteDays: hash("site:days", { most: 90, spare: 1 }),
  /** Milliseconds since 1970 when the last backup was complete. */
  backupAt: string("site:backup"),
  /** HyperLogLog of the ids of a day, see domain/statistics.ts. All are in one slot. */
  dayStat: string("{stats}:<stat>:<day>", { ttl: 40 * days, most: 12_400 }),
  /** Token of the process that migrates or restores the data; renewed. */
  siteLock: string("site:maintenance", { ttl: 30 }),
  /** What the admins decided on /admin/site, see domain/site/settings.ts; the pictures of the logo. */
  site: hash("site"),
  /** Milliseconds since 1970; X-Forwarded-For arrived while TRUST_PROXY was not set */
  untrustedProxy: string("site:untrusted-proxy", { ttl: 3600 }),

  /** One browser session, kept by the session store; expires when idle. */
  sessionPrefix: string("sess:", { ttl: 30 * days, prefix: true }),
  /** Points that the rate limiter counts. */
  ratePrefix: string("rate", { ttl: days, prefix: true }),
  /** Always empty: writing nothing to it tells whether its node accepts writes. */
  probe: string("probe:<nth>", { ttl: "sometimes" }),
  /** The job queue's own keys; a hash tag, so that a queue lives in one slot. */
  queuePrefix: family("{jobs}", { ttl: "sometimes", prefix: true }),
} as const satisfies Record<string, Row>;

export type KeyName = keyof typeof keyTable;

/** Names of keys: text, or a function of the ids in the name. */
export const keys = spellings(keyTable);

/** Max members, fields, entries or bytes of a key. */
export function mostOf(name: KeyName): number {
  const { most }: Row = keyTable[name];
  if (typeof most !== "number") throw new TypeError(`${name} has no fixed bound`);
  return most;
}

/** Seconds until a key of this name expires. */
export function ttlOf(name: KeyName): number {
  const { ttl }: Row = keyTable[name];
  if (typeof ttl !== "number") throw new TypeError(`${name} has no fixed time`);
  return ttl;
}

/** The keys of a user that the last step of erasing deletes. */
export function unlinkedWith(
  user: UserId,
  table: Readonly<Record<string, Row>> = keyTable,
): string[] {
  return Object.values(table)
    .filter(({ onErase }) => onErase === "unlink")
    .map(({ pattern }) => pattern.replace("<user>", user));
}
