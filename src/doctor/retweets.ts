import { type TweetId, tweetId, type UserId, userId } from "../domain/ids.ts";
import { clearRetweet } from "../domain/actions/delete-cleanup.ts";
import { reconcileRetweet } from "../domain/actions/retweet.ts";
import type { Tweet } from "../domain/tweets/tweet.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import { fieldsOf, membersOf } from "./lists.ts";

/** Users' hashes of retweets, tweets' retweeters, and the retweets themselves agree. */
export const retweetChecks: Check[] = [
  {
    of: ["retweets"],
    async look(exam, found) {
      for await (const batch of fieldsOf(exam, found)) {
        const factsOf = await exam.facts.tweets(batch.flatMap(({ id, value }) => [id, value]));
        for (const { of, id, value } of batch) {
          exam.maxIds.sawTweet(id);
          exam.maxIds.sawTweet(value);
          const owner = of.parts[0] ?? "";
          const written = factsOf(value);
          const isWhole =
            factsOf(id)?.state === "alive" &&
            written?.state === "alive" &&
            written.author === owner &&
            written.retweetOf?.tweet === id;
          if (!isWhole) suspectRetweet(exam, userId(owner), tweetId(id));
        }
      }
    },
  },
  {
    of: ["tweetRetweets"],
    async look(exam, found) {
      for await (const batch of membersOf(exam, found)) {
        const stands = await exam.ask<string | null>(
          batch.map(({ of, id }) => ["hget", keys.retweets(userId(id)), of.parts[0] ?? ""]),
        );
        for (const [index, { of, id }] of batch.entries()) {
          exam.maxIds.sawUser(id);
          if (stands[index] === null) suspectRetweet(exam, userId(id), tweetId(of.parts[0] ?? ""));
        }
      }
    },
  },
];

/** Each retweet among these tweets is the one in its author's hash. */
export async function checkRetweets(exam: Exam, tweets: Tweet[]): Promise<void> {
  const retweets = tweets.flatMap(({ retweetOf, ...tweet }) =>
    retweetOf === undefined ? [] : [{ ...tweet, original: retweetOf.tweet }],
  );
  const replies = await exam.ask<string | null>(
    retweets.flatMap(({ author, original }) => [
      ["hget", keys.retweets(author), original],
      ["zscore", keys.tweetRetweets(original), author],
    ]),
  );
  for (const [index, retweet] of retweets.entries()) {
    const { id, author, original, createdAt } = retweet;
    const [named, stamp] = [replies[2 * index] ?? null, replies[2 * index + 1] ?? null];
    if (named !== id) suspectUnknownRetweet(exam, retweet);
    else if (stamp === null || Number(stamp) !== createdAt) suspectRetweet(exam, author, original);
  }
}

function suspectRetweet(exam: Exam, user: UserId, tweet: TweetId): void {
  const { redis } = exam.ctx;
  exam.suspect({
    kind: "retweet-mirror",
    key: keys.retweets(user),
    member: tweet,
    jobs: jobsOf(user, tweet),
    async look() {
      const [id, stamp, [state]] = await Promise.all([
        redis.hget(keys.retweets(user), tweet),
        redis.zscore(keys.tweetRetweets(tweet), user),
        exam.facts.readUsers([user]),
      ]);
      if (state === "leaving" || state === "lost") return undefined;
      if (id === null) return stamp === null ? undefined : `${tweet} names ${user}, who has none`;
      const [written, original] = await exam.facts.readTweets([tweetId(id), tweet]);
      if (original?.state !== "alive") return `of ${tweet}, which is gone`;
      if (written?.state !== "alive") return `${id} stands for the one of ${tweet}, and is gone`;
      if (Number(stamp ?? 0) === written.createdAt) return undefined;
      return `${id} of ${written.createdAt}, in the list of ${tweet}: ${stamp ?? "nothing"}`;
    },
    repair: "make all ends agree with the list of the user's retweets",
    async mend() {
      await restoreEntry(exam, user, tweet);
      await reconcileRetweet(exam.ctx, { user, tweet });
    },
  });
}

/** If only the user's hash lost a retweet, the stamp in the original's list leads to it. */
async function restoreEntry({ ctx, facts }: Exam, user: UserId, original: TweetId): Promise<void> {
  const stamp = await ctx.redis.zscore(keys.tweetRetweets(original), user);
  if (stamp === null) return;
  const found = await ctx.redis.zrange(keys.userTimeline(user), stamp, stamp, "BYSCORE");
  const ids = found.map(tweetId);
  for (const [index, written] of (await facts.readTweets(ids)).entries()) {
    const isIt = written?.state === "alive" && written.retweetOf?.tweet === original;
    if (isIt) await ctx.redis.hsetnx(keys.retweets(user), original, ids[index] ?? "");
  }
}

/** A retweet that is not in its author's hash. */
function suspectUnknownRetweet(
  exam: Exam,
  { id, author: user, original, createdAt }: Omit<Tweet, "retweetOf"> & { original: TweetId },
): void {
  const { ctx } = exam;
  exam.suspect({
    kind: "retweet-unknown",
    key: keys.tweet(id),
    jobs: jobsOf(user, original),
    async look() {
      const [named, [written], [state]] = await Promise.all([
        ctx.redis.hget(keys.retweets(user), original),
        exam.facts.readTweets([id]),
        exam.facts.readUsers([user]),
      ]);
      if (written?.state !== "alive" || named === id || state !== "alive") return undefined;
      return `the list of ${user} names ${named ?? "none"} for ${original}`;
    },
    repair: "name it in the list if the original names it; else it was taken back, and is deleted",
    async mend() {
      const stamp = await ctx.redis.zscore(keys.tweetRetweets(original), user);
      if (Number(stamp) === createdAt) await ctx.redis.hsetnx(keys.retweets(user), original, id);
      if ((await ctx.redis.hget(keys.retweets(user), original)) !== id) await clearRetweet(ctx, id);
      await reconcileRetweet(ctx, { user, tweet: original });
    },
  });
}

function jobsOf(user: UserId, tweet: TweetId): string[] {
  return [`settle-retweet ${user} ${tweet}`, `settle-deletion ${tweet}`, `erase ${user}`];
}
