import { digestOfAddress } from "../../src/domain/accounts/mail.ts";
import { keys } from "../../src/redis/keys.ts";
import { type Damage, relationDamages } from "./relation-damages.ts";

const mailList = keys.mailUsers(digestOfAddress("writer@example.org"));

export const damages: Damage[] = [
  ...relationDamages,
  ["a counter of users that fell back", "counter", ({ redis }) => redis.set(keys.userIds, 1)],
  ["a counter of tweets that is gone", "counter", ({ redis }) => redis.del(keys.tweetIds)],
  [
    "a retweet that its original does not list",
    "retweet-mirror",
    ({ redis, liked }) => redis.del(keys.tweetRetweets(liked)),
  ],
  [
    "a retweet that its user does not list",
    "retweet-unknown",
    ({ redis, viewer }) => redis.del(keys.retweets(viewer)),
  ],
  [
    "a tweet that stands nowhere",
    "tweet-unlisted",
    ({ redis, viewer, mine }) => redis.zrem(keys.userTimeline(viewer), mine),
  ],
  [
    "a reply that its parent does not list",
    "tweet-unlisted",
    ({ redis, liked, reply }) => redis.zrem(keys.tweetReplies(liked), reply),
  ],
  ["a wrong count", "tweet-count", ({ redis, liked }) => redis.hset(keys.tweet(liked), "likes", 7)],
  [
    "a stamp that is not the tweet's",
    "listed-wrongly",
    ({ redis, viewer, mine }) => redis.zadd(keys.userTimeline(viewer), 1e15, mine),
  ],
  [
    "a tweet in another's timeline",
    "listed-wrongly",
    ({ redis, viewer, liked }) => redis.zadd(keys.userTimeline(viewer), 1e15, liked),
  ],
  [
    "a timeline entry of no tweet",
    "listed-wrongly",
    ({ redis, never }) => redis.zadd(keys.globalTimeline, 1e15, never),
  ],
  [
    "a truth that would vanish",
    "expiry",
    ({ redis, viewer }) => redis.expire(keys.likes(viewer), 1000),
  ],
  [
    "a cache of the wrong type",
    "wrong-type",
    async ({ redis }) => {
      await redis.set(keys.searchTerm("zebra"), "no list");
    },
  ],
  ["a name that leads nowhere", "user-name", ({ redis }) => redis.del(keys.username("writer"))],
  [
    "a name that would vanish",
    "user-name",
    ({ redis }) => redis.expire(keys.username("writer"), 1000),
  ],
  [
    "a user who would vanish",
    "user-not-kept",
    ({ redis, writer }) => redis.expire(keys.user(writer), 1000),
  ],
  [
    "a tweet that would vanish",
    "tweet-expires",
    ({ redis, mine }) => redis.expire(keys.tweet(mine), 1000),
  ],
  [
    "suspended users that are not listed",
    "user-suspended",
    ({ redis }) => redis.del(keys.suspended),
  ],
  ["a lost list of the staff", "user-role", ({ redis }) => redis.del(keys.staff)],
  ["stray staff", "user-listed-wrongly", ({ redis, nobody }) => redis.hset(keys.staff, nobody, 1)],
  [
    "a picture that is not there",
    "user-avatar",
    ({ redis, writer }) => redis.hset(keys.user(writer), "avatar", "1"),
  ],
  [
    "another's tweet on a profile",
    "user-pinned",
    ({ redis, spammer, liked }) => redis.hset(keys.user(spammer), "pinned", liked),
  ],
  ["a lost mail address", "mail-mirror", ({ redis, writer }) => redis.zrem(mailList, writer)],
  ["a stray in a mail list", "mail-mirror", ({ redis, viewer }) => redis.zadd(mailList, 0, viewer)],
  [
    "what a user left behind",
    "left-behind",
    ({ redis, nobody }) => redis.zadd(keys.mutes(nobody), 1, 1),
  ],
  [
    "a new user who never was",
    "user-listed-wrongly",
    ({ redis, nobody }) => redis.zadd(keys.newestUsers, 1, nobody),
  ],
  [
    "a session that no list names",
    "session-unlisted",
    ({ redis, viewer }) =>
      redis.set(`${keys.sessionPrefix}stray`, JSON.stringify({ user: viewer }), "EX", 1000),
  ],
  [
    "a session that its user has ended",
    "session-generation",
    async ({ redis, viewer }) => {
      const session = JSON.stringify({ user: viewer, generation: "left" });
      await redis.set(`${keys.sessionPrefix}left`, session, "EX", 1000);
      await redis.zadd(keys.sessions(viewer), 1e15, "left");
    },
  ],
  ["an app that would vanish", "token-app", ({ redis, app }) => redis.expire(app, 1000)],
  [
    "a word under which a tweet is missing",
    "tweet-index",
    ({ redis }) => redis.del(keys.searchTerm("viewer")),
  ],
  [
    "a word of a tweet that is gone",
    "tweet-index",
    ({ redis, never }) => redis.zadd(keys.searchTerm("viewer"), 1, never),
  ],
  [
    "a hashtag that an edit took away",
    "tweet-index",
    ({ redis, mine }) => redis.zadd(keys.tag("giraffe"), 1e15, mine),
  ],
  ["a user whom no search finds", "people-index", ({ redis }) => redis.del(keys.searchPeople("w"))],
  [
    "a user whose entries nobody knows",
    "people-index",
    ({ redis, writer }) => redis.del(keys.indexedPerson(writer)),
  ],
  [
    "a name of nobody",
    "people-index",
    ({ redis, spammer }) => redis.zadd(keys.searchPeople("w"), 0, `who ${spammer}`),
  ],
  ["reports that do not wait", "report-queue", ({ redis }) => redis.del(keys.openReports)],
  [
    "a case without reports",
    "report-queue",
    ({ redis, mine }) => redis.zadd(keys.openReports, 1, `t${mine}`),
  ],
  [
    "a report that its reporter forgot",
    "report-mirror",
    ({ redis, viewer }) => redis.del(keys.reportsBy(viewer)),
  ],
  [
    "a picture that its tweet does not show",
    "picture-unused",
    ({ redis, writer, liked }) => redis.hset(keys.pictures(writer), "0".repeat(24), liked),
  ],
  [
    "bytes of a picture that is gone",
    "bytes-miscounted",
    ({ redis, writer }) => redis.hset(keys.storedBytes(writer), "0".repeat(24), 5),
  ],
  [
    "a wrong sum of bytes",
    "bytes-miscounted",
    ({ redis, spammer }) => redis.hset(keys.storedBytes(spammer), "pictures", 7),
  ],
  [
    "a cache that would stay for ever",
    "no-expiry",
    ({ redis, viewer }) => redis.persist(keys.homeTimeline(viewer)),
  ],
  [
    "a home timeline that lacks a tweet",
    "home",
    ({ redis, viewer, liked }) => redis.zrem(keys.homeTimeline(viewer), liked),
  ],
  [
    "a home timeline without a floor",
    "home",
    ({ redis, writer }) => redis.zrem(keys.homeTimeline(writer), "floor"),
  ],
];
