import { tweetId, userId } from "../domain/ids.ts";
import { isVoter, numberFields, takeBackVote } from "../domain/tweets/poll.ts";
import { keys } from "../redis/keys.ts";
import { eachKey } from "./run.ts";

/** The numbers of a poll are those of its votes. */
export const pollNumbers = eachKey({
  of: ["tweetVotes"],
  // Of a poll with many voters, all are read.
  atOnce: 10,
  read: async ({ ctx: { redis } }, item) => {
    const votes = await redis.hgetall(item.key);
    const chosen = Object.keys(votes).filter(isVoter);
    const choices = chosen.flatMap((user) => votes[user]?.split(",") ?? []);
    const countOf = (field: string) =>
      field === "voters" ? chosen.length : choices.filter((one) => `n${one}` === field).length;
    const wrong = numberFields.filter((field) => Number(votes[field] ?? 0) !== countOf(field));
    const counted = wrong.flatMap((field) => [field, String(countOf(field))]);
    return { ...item, wrong, counted, voters: votes["voters"] };
  },
  faults: {
    "poll-numbers": {
      detail: ({ wrong }) => wrong.length > 0 && `${wrong.join(" and ")} differ from the votes`,
      how: "count again",
      // Only if nobody votes meanwhile. A missing field cannot be compared, so it is written first.
      async repair({ ctx: { redis } }, { key, voters, counted }) {
        if (voters === undefined) await redis.hsetnx(key, "voters", "0");
        await redis.updateIf(key, "voters", voters ?? "0", ...counted);
      },
    },
  },
});

/** A vote is by a user who is there, in a tweet that is there, and the user's list has it. */
export const votes = eachKey({
  of: ["tweetVotes"],
  each: "member",
  read: async (run, member) => {
    if (!isVoter(member.id)) return undefined;
    const [user, tweet] = [userId(member.id), tweetId(member.owner)];
    const [state, tweetFacts, listed] = await Promise.all([
      run.facts.user(user),
      run.facts.tweet(tweet),
      run.ctx.redis.zscore(keys.votes(user), tweet),
    ]);
    const isGone = state === "gone" || tweetFacts?.alive !== true;
    const isUnlisted = state === "alive" && listed === null;
    return { ...member, user, tweet, askedAt: tweetFacts?.createdAt ?? 0, isGone, isUnlisted };
  },
  jobs: ({ user, tweet }) => [`erase ${user}`, `reconcile-deletion ${tweet}`],
  faults: {
    "vote-left-behind": {
      detail: ({ isGone }) => isGone && "is by a user or in a tweet that is gone",
      how: "take it back",
      repair: ({ ctx }, { user, tweet }) => takeBackVote(ctx, user, tweet),
    },
    "vote-unlisted": {
      detail: ({ isGone, isUnlisted }) =>
        !isGone && isUnlisted && "is not in the list of its user's votes",
      how: "list it",
      repair: ({ ctx }, { user, tweet, askedAt }) =>
        ctx.redis.zadd(keys.votes(user), askedAt, tweet),
    },
  },
});
