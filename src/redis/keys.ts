import type { ClientId, ListId, TweetId, UserId } from "../domain/ids.ts";

/** All keys of Suzume. docs/redis-keys.md describes them in prose; a test compares the two. */
export const keys = {
  /** counter: the highest user id given out. */
  userIds: "user:ids",
  /** counter: the highest tweet id given out. */
  tweetIds: "tweet:ids",
  /** counter: the highest number of an app given out. */
  appIds: "app:ids",

  /** hash: the account; docs/redis-keys.md tells its fields. */
  user: (id: UserId) => `user:${id}`,
  /** string: the uploaded picture of a user, a WebP of at most 16 kB; `avatar` above is its digest. */
  avatar: (id: UserId) => `user:${id}:avatar`,
  /**
   * hash: upload id → JSON of the wish (stamp, description); the same with ":made" → JSON of the picture or of its
   * problem; a day after the last upload, or a little longer.
   */
  uploads: (id: UserId) => `user:${id}:uploads`,
  /** hash: upload id → id of the tweet that shows the picture; one entry per picture of the user's tweets. */
  pictures: (id: UserId) => `user:${id}:pictures`,
  /** string: id of the one user who has or had this folded name; "claimed:" and the id for 15 seconds before. */
  username: (folded: string) => `username:${folded}`,
  /** zset: session id → stamp of its sign-in; at most 50. */
  sessions: (id: UserId) => `user:${id}:sessions`,
  /** hash: count, since; wrong passwords typed for a user; 30 days after the last. */
  guesses: (id: UserId) => `user:${id}:guesses`,
  /** hash: digest of a token → generation, next and end as JSON; log-ins that wait for a code; at most 10, 10 minutes. */
  halfOpen: (id: UserId) => `user:${id}:half_open`,
  /** hash: credential id → a passkey as JSON: name, public key, counter, transports, times; at most 20. */
  passkeys: (id: UserId) => `user:${id}:passkeys`,
  /** hash: secret (sealed), created_at, step (of the last code used); the authenticator app of a user. */
  totp: (id: UserId) => `user:${id}:totp`,
  /** string: the sealed secret of an authenticator app that is not on yet; 15 minutes. */
  totpSetup: (id: UserId) => `user:${id}:totp_setup`,
  /** string: what a passkey is asked for, by the digest of its challenge; 5 minutes. */
  challenge: (digest: string) => `challenge:${digest}`,
  /** hash: digest of a recovery code → "unused", or the id of its one use; the ten of the last set. */
  recoveryCodes: (id: UserId) => `user:${id}:recovery_codes`,
  /** hash: digest of a link to set a new password → generation, until as JSON; at most 20, a day. */
  resetLinks: (id: UserId) => `user:${id}:reset_links`,
  /** string: JSON of a mail address that waits to be confirmed, with the digest of its link; a day. */
  mailPending: (id: UserId) => `user:${id}:mail_pending`,
  /** zset, all scores 0: user ids; the accounts of a mail address; the mirror of their `mail`. */
  mailUsers: (digest: string) => `mail:${digest}`,
  /** hash: id, started_at, total, parts, progress (JSON) of a user's latest import; 7 days. */
  import: (id: UserId) => `user:${id}:import`,
  /** hash: number → JSON list of the remaining items of an import; at most one file; 7 days at most. */
  importItems: (id: UserId, of: string) => `user:${id}:import_items:${of}`,
  /** hash: digest of an original tweet → "tweet id:import id" of its copy here; TIMELINE_TTL_DAYS. */
  imported: (id: UserId) => `user:${id}:imported`,
  /** zset: user id → stamp of sign-up; the newest 1,000 users. */
  newestUsers: "users:newest",

  /** string: an app as JSON, with a digest of its secret; 7 days, for good once a user has allowed it. */
  app: (client: ClientId) => `app:${client}`,
  /** hash: digest of an app's own token → its grant as JSON; at most 10, 30 days after the last use. */
  appTokens: (client: ClientId) => `app:${client}:tokens`,
  /**
   * hash: digest of a token → app, scopes, created_at, used_at as JSON; the apps that the user has allowed, at
   * most 100.
   */
  tokens: (id: UserId) => `user:${id}:tokens`,
  /** hash: digest of an authorization code → consent and user as JSON; at most 20, 10 minutes. */
  codes: (id: UserId) => `user:${id}:codes`,

  /** zset: user id → stamp of the follow; one entry per follower. */
  followers: (id: UserId) => `user:${id}:followers`,
  /** zset: user id → stamp of the follow; the truth about follows; at most 10,000. */
  followings: (id: UserId) => `user:${id}:followings`,
  /** zset: user id → stamp; followed users whose retweets this user does not want at home. */
  withoutRetweets: (id: UserId) => `user:${id}:without_retweets`,
  /** zset: user id → stamp; the followers who are notified of each new tweet of this user. */
  watchers: (id: UserId) => `user:${id}:watchers`,

  /** zset: user id → stamp; the users that this user has muted for ever. */
  mutes: (id: UserId) => `user:${id}:mutes`,
  /** zset: user id → stamp of the end; the users that this user has muted for a time; at most 1,000. */
  timedMutes: (id: UserId) => `user:${id}:timed_mutes`,
  /** zset: user id → stamp; the users that this user has blocked. */
  blocks: (id: UserId) => `user:${id}:blocks`,
  /** zset: user id → stamp; the mirror of other users' blocks. */
  blockedBy: (id: UserId) => `user:${id}:blocked_by`,
  /** hash: filter id → title, action, contexts, until and keywords as JSON; filters and muted words; at most 200. */
  filters: (id: UserId) => `user:${id}:filters`,
  /** zset: hashtag, folded → stamp; the hashtags that this user follows; at most 50. */
  followedTags: (id: UserId) => `user:${id}:followed_tags`,

  /** hash: list id → title, replies and createdAt as JSON; lists of people, visible to their owner only; at most 50. */
  lists: (id: UserId) => `user:${id}:lists`,
  /** zset: user id → stamp; the members of such a list; at most 500. */
  listMembers: (id: UserId, list: ListId) => `user:${id}:list:${list}`,

  /** zset: "kind:tweet id:actor id" (a follow has no tweet) → stamp; actions of others; the newest 1,000. */
  notifications: (id: UserId) => `user:${id}:notifications`,
  /** zset: id of the topmost tweet → stamp; the conversations that this user has muted; the newest 1,000. */
  mutedConversations: (id: UserId) => `user:${id}:muted_conversations`,
  /** hash: session id, or digest of an app's token → its push subscription as JSON, see domain/push; at most 25. */
  push: (id: UserId) => `user:${id}:push`,
  /** zset: "digest of the subscription:kind:tweet id:actor id" → milliseconds; pushes of a day, at most 2,000. */
  pushed: (id: UserId) => `user:${id}:pushed`,

  /**
   * hash: text, warning?, language?, created_at, user_id, mentions?, reply_to? and its author's reply_to_user?,
   * retweet_of? and retweet_of_user?, quote_of? and quote_of_user?, pictures?, sensitive?, likes?, retweets?, replies?, deleted_at?; a
   * tombstone once deleted. Once edited: edited_at, edits and the versions before each edit, was:0, was:1 …, and
   * former_pictures?. A draft, which expires after a minute: drafted_by, claim and generation
   * instead of user_id.
   */
  tweet: (id: TweetId) => `tweet:${id}`,
  /** zset: tweet id → stamp of the reply. */
  tweetReplies: (id: TweetId) => `tweet:${id}:replies`,
  /** zset: user id → stamp; users who like it. */
  tweetLikes: (id: TweetId) => `tweet:${id}:likes`,
  /** zset: user id → stamp; users who retweeted it. */
  tweetRetweets: (id: TweetId) => `tweet:${id}:retweets`,
  /** zset: tweet id → stamp; liked tweets; the truth about likes. */
  likes: (id: UserId) => `user:${id}:likes`,
  /** zset: tweet id → stamp; bookmarks, visible to their owner only; the newest 10,000. */
  bookmarks: (id: UserId) => `user:${id}:bookmarks`,
  /** hash: tweet id → id of this user's retweet of it. */
  retweets: (id: UserId) => `user:${id}:retweets`,
  /** string: "tweet id:stamp" of the tweet from one submit of a form; a minute, a day once committed. */
  nonce: (id: UserId, digest: string) => `user:${id}:nonce:${digest}`,

  /** zset: tweet id → stamp; all tweets of an author, including replies and retweets. */
  userTimeline: (id: UserId) => `user:${id}:user_timeline`,
  /** zset: "tweet id:author replied to" → stamp; those of them that answer others. */
  replies: (id: UserId) => `user:${id}:replies`,
  /** zset: "tweet id:its author" → stamp; the newest 1,000 replies of others to a user. */
  answers: (id: UserId) => `user:${id}:answers`,
  /** zset: tweet id → stamp, and the floor (see timelines/home-store.ts); TIMELINE_CAP, TIMELINE_TTL_DAYS. */
  homeTimeline: (id: UserId) => `user:${id}:home_timeline`,
  /** zset: tweet id → stamp; the newest 10,000 of all users. */
  globalTimeline: "tweets:global",

  /** zset: "tweet id:author id" (and ":author replied to") → stamp, and the floor; the newest 10,000. */
  bigTimeline: "tweets:big",

  /** zset: tweet id → stamp; the newest 10,000 tweets with this word, character or pair of characters; a year. */
  searchTerm: (term: string) => `search:${term}`,
  /** zset: tweet id → stamp; the newest 10,000 tweets with this hashtag, folded; a year. */
  tag: (tag: string) => `tag:${tag}`,
  /** zset: "tweet id:author id:tag" → stamp; the newest 10,000 uses of tags; a day. */
  tagUses: "tags:used",
  /** zset, all scores 0: "folded name user id" of the users found under this first character; at most 38 of each. */
  searchPeople: (first: string) => `people:${first}`,
  /** string: the entries of `people:…` of a user, one per line. */
  indexedPerson: (id: UserId) => `user:${id}:indexed`,

  /** zset: user id → stamp; suspended users; each one's suspended_at is the truth. */
  suspended: "users:suspended",
  /** hash: "kind:text" of what the admins have blocked → stamp; at most 1,000; see domain/blocks.ts. */
  siteBlocks: "site:blocks",
  /** hash: user id → role; moderators and admins; `role` of each one is the truth. */
  staff: "users:staff",
  /** zset: subject ("t" + tweet id, "p" + user id) → stamp since when it waits for a decision. */
  openReports: "reports:open",
  /** hash: reporter's user id → reason, comment and stamp as JSON; the open reports of a subject, at most 50. */
  reportsOf: (subject: string) => `report:${subject}`,
  /** hash: the same for the reports closed by the last decision; 90 days. */
  resolvedReports: (subject: string) => `report:${subject}:resolved`,
  /** zset: subject → stamp; the open reports of a user, at most 20. */
  reportsBy: (id: UserId) => `user:${id}:reports`,
  /** zset: "subject outcome" → stamp of the decision; what became of a user's reports; the newest 50, 90 days. */
  outcomes: (id: UserId) => `user:${id}:outcomes`,
  /** stream: { act, subject, by, verb, note }; the audit log, about the newest 10,000. */
  acts: "moderation:acts",

  /** zset: user id → stamp of the sign-up; applicants who wait for an admin. */
  applicants: "users:waiting",
  /** hash: digest of a token → an invitation as JSON; at most 50 open ones, and as many that have ended. */
  invitations: (id: UserId) => `user:${id}:invitations`,
  /** hash: the same for the invitations that were made in the shell. */
  siteInvitations: "invitations:site",
  /** zset: user id → stamp of their newest invitation. */
  inviters: "invitations:by",
  /** hash: version, cursor?, restoring?, unindexed?; see migrations/state.ts and search/index-older.ts. */
  siteData: "site:data",
  /** string: JSON of what the doctor said last; see domain/site/checkup.ts. */
  checkup: "site:checkup",
  /** string: HyperLogLog of the ids of a day, see domain/day-stats.ts; 40 days. All in one slot. */
  dayStat: (stat: string, day: string) => `{stats}:${stat}:${day}`,
  /** string: token of the process that migrates or restores the data; 30 seconds, renewed. */
  siteLock: "site:maintenance",
  /** hash: what the admins decided on /admin/site, see domain/site/settings.ts; the pictures of the logo. */
  site: "site",
  /** string: milliseconds since 1970; X-Forwarded-For arrived while TRUST_PROXY was not set; an hour. */
  untrustedProxy: "site:untrusted-proxy",

  /** prefix of string: one browser session, kept by the session store; expires when idle. */
  sessionPrefix: "sess:",
  /** prefix of string: log-in attempts counted by the rate limiter; minutes. */
  ratePrefix: "rate",
  /** never there: writing nothing to it tells whether its node accepts writes. */
  probe: (nth: number) => `probe:${nth}`,
  /** prefix of the job queue's own keys; a hash tag, so that a queue lives in one slot. */
  queuePrefix: "{jobs}",
} as const;
