import { type TweetId, tweetId, type UserId, userId } from "../domain/ids.ts";
import { reconcileLike } from "../domain/actions/like.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import { membersOf, stampOf } from "./lists.ts";

/** Users' likes and tweets' likers agree. */
export const likeChecks: Check[] = [
  {
    of: ["likes"],
    async look(exam, found) {
      for await (const batch of membersOf(exam, found)) {
        const factsOf = await exam.facts.tweets(batch.map(({ id }) => id));
        const stamps = await exam.ask<string | null>(
          batch.map(({ of, id }) => ["zscore", keys.tweetLikes(tweetId(id)), of.parts[0] ?? ""]),
        );
        for (const [index, member] of batch.entries()) {
          const { of, id } = member;
          exam.maxIds.sawTweet(id);
          const stamp = stamps[index] ?? null;
          const isWhole =
            factsOf(id)?.state === "alive" && stamp !== null && Number(stamp) === stampOf(member);
          if (!isWhole && !exam.isYoung(stampOf(member)))
            suspectLike(exam, userId(of.parts[0] ?? ""), tweetId(id));
        }
      }
    },
  },
  {
    of: ["tweetLikes"],
    async look(exam, found) {
      for await (const batch of membersOf(exam, found)) {
        const stamps = await exam.ask<string | null>(
          batch.map(({ of, id }) => ["zscore", keys.likes(userId(id)), of.parts[0] ?? ""]),
        );
        for (const [index, { of, id }] of batch.entries()) {
          exam.maxIds.sawUser(id);
          if (stamps[index] === null) suspectLike(exam, userId(id), tweetId(of.parts[0] ?? ""));
        }
      }
    },
  },
];

function suspectLike(exam: Exam, user: UserId, tweet: TweetId): void {
  const { redis } = exam.ctx;
  exam.suspect({
    kind: "like-mirror",
    key: keys.likes(user),
    member: tweet,
    jobs: [`settle-like ${user} ${tweet}`, `settle-deletion ${tweet}`, `erase ${user}`],
    async look() {
      const [since, mirrored, [state], [facts]] = await Promise.all([
        redis.zscore(keys.likes(user), tweet),
        redis.zscore(keys.tweetLikes(tweet), user),
        exam.facts.readUsers([user]),
        exam.facts.readTweets([tweet]),
      ]);
      if (state === "leaving" || state === "lost") return undefined;
      if (since === null && mirrored === null) return undefined;
      if (facts?.state !== "alive") return `of ${tweet}, which is gone`;
      if (since === mirrored) return undefined;
      return `${tweet} since ${since ?? "never"}, in the list of the tweet ${mirrored ?? "never"}`;
    },
    repair: "make both ends agree with what the user likes",
    mend: () => reconcileLike(exam.ctx, { user, tweet }),
  });
}
