import { clearRetweet } from "../domain/actions/delete-cleanup.ts";
import { reconcileRetweet, type Retweeting } from "../domain/actions/retweet.ts";
import { tweetId, userId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import { type Run, keyCheck } from "./run.ts";
import type { Item } from "./items.ts";

/** Users' hashes of retweets, tweets' retweeters, and the retweets themselves agree. */
export const retweets = keyCheck({
  of: ["retweets", "tweetRetweets"],
  each: "member",
  async read(run, members) {
    const ends = members.map((member) => ({ ...member, ...endsOf(member) }));
    const edges = await run.ask(ends, ({ user, tweet }) => ({
      retweet: ["hget", keys.retweets(user), tweet],
      stamp: ["zscore", keys.tweetRetweets(tweet), user],
    }));
    for (const { retweet } of edges) run.saw("tweet", retweet ?? "");
    const stateOf = await run.facts.users(edges.map(({ user }) => user));
    const ids = edges.flatMap(({ tweet, retweet }) => [tweet, retweet ?? ""]);
    const factsOf = await run.facts.tweets(ids);
    return edges.map((one) => ({
      ...one,
      userState: stateOf(one.user),
      original: factsOf(one.tweet),
      written: factsOf(one.retweet ?? ""),
    }));
  },
  place: ({ user, tweet: id }) => ({ key: keys.retweets(user), id }),
  jobs: (edge) => jobsOf(edge),
  faults: {
    "retweet-mirror": {
      detail({ user, tweet, retweet, stamp, userState, original, written }) {
        if (userState === "leaving" || userState === "lost") return undefined;
        if (retweet === null) return stamp !== null && `${tweet} names ${user}, who has none`;
        if (original?.alive !== true) return `of ${tweet}, which is gone`;
        if (written?.alive !== true)
          return `${retweet} stands for the one of ${tweet}, and is gone`;
        if (Number(stamp ?? 0) === written.createdAt) return undefined;
        return `${retweet} of ${written.createdAt}, in the list of ${tweet}: ${stamp ?? "nothing"}`;
      },
      how: "make all ends agree with the list of the user's retweets",
      async repair(run, { user, tweet, stamp }) {
        if (stamp !== null) await restoreEntry(run, { user, tweet }, stamp);
        await reconcileRetweet(run.ctx, { user, tweet });
      },
    },
  },
});

function endsOf({ name, owner, id }: Item): Retweeting {
  return name === "retweets"
    ? { user: userId(owner), tweet: tweetId(id) }
    : { user: userId(id), tweet: tweetId(owner) };
}

function jobsOf({ user, tweet }: Retweeting): string[] {
  return [`reconcile-retweet ${user} ${tweet}`, `reconcile-deletion ${tweet}`, `erase ${user}`];
}

/** If only the user's hash lost a retweet, the stamp in the original's list leads to it. */
async function restoreEntry(
  { ctx, facts }: Run,
  { user, tweet }: Retweeting,
  stamp: string,
): Promise<void> {
  const ids = await ctx.redis.zrange(keys.userTimeline(user), stamp, stamp, "BYSCORE");
  const factsOf = await facts.tweets(ids);
  for (const id of ids) {
    const written = factsOf(id);
    if (written?.alive === true && written.retweetOf?.tweet === tweet)
      await ctx.redis.hsetnx(keys.retweets(user), tweet, id);
  }
}

/** Each tweet that is a retweet is the one in its author's hash. */
export const unknownRetweets = keyCheck({
  of: ["tweet"],
  async read(run, items) {
    const written = (await run.livingTweets(items)).flatMap(({ tweet: retweet, ...item }) => {
      const { author: user, createdAt, retweetOf } = retweet;
      return retweetOf === undefined ? [] : [{ ...item, user, createdAt, tweet: retweetOf.tweet }];
    });
    const entries = await run.ask(written, ({ user, tweet }) => ({
      named: ["hget", keys.retweets(user), tweet],
      stamp: ["zscore", keys.tweetRetweets(tweet), user],
    }));
    const stateOf = await run.facts.users(entries.map(({ user }) => user));
    return entries.map((one) => ({ ...one, state: stateOf(one.user) }));
  },
  jobs: (edge) => jobsOf(edge),
  faults: {
    "retweet-unknown": {
      detail: ({ owner: id, user, tweet, named, state }) =>
        named !== id &&
        state === "alive" &&
        `the list of ${user} names ${named ?? "none"} for ${tweet}`,
      how: "name it in the list if the original names it; else it was taken back, and is deleted",
      async repair({ ctx }, { owner: id, user, tweet, createdAt, stamp }) {
        const entries = keys.retweets(user);
        if (Number(stamp) === createdAt) await ctx.redis.hsetnx(entries, tweet, id);
        if ((await ctx.redis.hget(entries, tweet)) !== id) await clearRetweet(ctx, tweetId(id));
        await reconcileRetweet(ctx, { user, tweet });
      },
    },
  },
});
