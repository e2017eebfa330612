import { type TweetId, tweetId } from "../domain/ids.ts";
import { reconcileDeletion } from "../domain/actions/delete-cleanup.ts";
import { recount } from "../domain/tweets/reactions.ts";
import { buryTweet } from "../domain/tweets/store.ts";
import { type Tweet, toRemains, toTweet, tweetFields } from "../domain/tweets/tweet.ts";
import type { Command } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import { jobsAbout } from "./pending.ts";
import { checkRetweets } from "./retweets.ts";
import { checkListed } from "./tweet-listing.ts";

const counts = ["replies", "retweets", "likes"] as const;
const listOf = {
  replies: keys.tweetReplies,
  retweets: keys.tweetRetweets,
  likes: keys.tweetLikes,
} as const;

/** A living tweet is listed and counted; a tombstone is neither, and has a TTL. */
export const tweetCheck: Check = {
  of: ["tweet"],
  async look(exam, found) {
    const ids = found.map(({ parts }) => tweetId(parts[0] ?? ""));
    const states = await readStates(exam, ids);
    const settled: Tweet[] = [];
    for (const [index, id] of ids.entries()) {
      const state = states[index];
      if (state === undefined) continue;
      exam.maxIds.sawTweet(id);
      exam.maxIds.sawUser(state.remains?.author);
      const fault = faultOf(exam, state);
      if (fault !== undefined) suspectTweet(exam, id, fault, state);
      const { tweet, life } = state;
      if (tweet !== undefined && life === -1 && !exam.isYoung(tweet.createdAt)) settled.push(tweet);
    }
    await checkListed(exam, settled);
    await checkRetweets(exam, settled);
  },
};

interface State {
  /** Undefined for a tombstone, and for a hash that is neither. */
  tweet: Tweet | undefined;
  remains: Tweet | undefined;
  deletedAt: number | undefined;
  /** TTL in seconds; -1: none, -2: no such key. */
  life: number;
  /** Replies, retweets and likes: `noted` in the hash, `listed` in the lists. */
  noted: number[];
  listed: number[];
}

async function readStates(exam: Exam, ids: TweetId[]): Promise<State[]> {
  const perTweet = 2 + counts.length;
  const replies = await exam.ask<unknown>(
    ids.flatMap((id): Command[] => [
      ["hmget", keys.tweet(id), ...tweetFields, ...counts],
      ["ttl", keys.tweet(id)],
      ...counts.map((which): Command => ["zcard", listOf[which](id)]),
    ]),
  );
  return ids.map((id, index) => {
    const [hash, life, ...listed] = replies.slice(index * perTweet, (index + 1) * perTweet);
    const values = hash as (string | null)[];
    const deleted = values[tweetFields.indexOf("deleted_at")];
    return {
      tweet: toTweet(id, values),
      remains: toRemains(id, values),
      deletedAt: typeof deleted === "string" ? Number(deleted) : undefined,
      life: Number(life),
      noted: values.slice(tweetFields.length).map(Number),
      listed: listed.map(Number),
    };
  });
}

type Fault =
  "tweet-incomplete" | "tweet-expires" | "tombstone-for-ever" | "tombstone-listed" | "tweet-count";

function faultOf(exam: Exam, state: State): Fault | undefined {
  const { tweet, deletedAt, life, noted, listed } = state;
  if (life === -2) return undefined;
  if (deletedAt !== undefined) {
    if (exam.isYoung(deletedAt)) return undefined;
    if (life === -1) return "tombstone-for-ever";
    const [, retweets = 0, likes = 0] = listed;
    return retweets + likes > 0 ? "tombstone-listed" : undefined;
  }
  // A draft has a TTL.
  if (tweet === undefined && life >= 0) return undefined;
  if (tweet === undefined || !(tweet.createdAt > 0)) return "tweet-incomplete";
  if (life >= 0) return "tweet-expires";
  return noted.some((count, nth) => count !== listed[nth]) ? "tweet-count" : undefined;
}

function suspectTweet(exam: Exam, id: TweetId, fault: Fault, { remains }: State): void {
  const { ctx } = exam;
  const read = async () => (await readStates(exam, [id]))[0] as State;
  const suspicion = {
    kind: fault,
    key: keys.tweet(id),
    jobs: jobsAbout(id, remains),
    async look() {
      const state = await read();
      return faultOf(exam, state) === fault ? wordsOf(fault, state) : undefined;
    },
  };
  if (fault === "tweet-incomplete") exam.suspect({ ...suspicion, repair: "" });
  else if (fault === "tweet-expires")
    exam.suspect({
      ...suspicion,
      repair: "let it stay",
      async mend() {
        await ctx.redis.persist(keys.tweet(id));
        // If it was deleted just now, it needs its TTL again.
        const { deletedAt } = await read();
        if (deletedAt !== undefined) await buryTweet(ctx, id, deletedAt);
      },
    });
  else if (fault === "tweet-count")
    exam.suspect({
      ...suspicion,
      repair: "count again",
      async mend() {
        for (const which of counts) await recount(ctx, id, which);
      },
    });
  else
    exam.suspect({
      ...suspicion,
      repair: "finish its deletion",
      async mend() {
        const { deletedAt, life } = await read();
        if (deletedAt === undefined) return;
        if (life === -1) await buryTweet(ctx, id, deletedAt);
        await reconcileDeletion(ctx, id);
      },
    });
}

const words: Record<Exclude<Fault, "tweet-count">, string> = {
  "tweet-incomplete": "neither a tweet nor a tombstone",
  "tweet-expires": "is to stay, yet it vanishes",
  "tombstone-for-ever": "a tombstone without an expiry",
  "tombstone-listed": "is deleted, yet liked or retweeted",
};

function wordsOf(fault: Fault, { noted, listed }: State): string {
  if (fault !== "tweet-count") return words[fault];
  return counts.map((which, nth) => `${which}: ${noted[nth]}, listed: ${listed[nth]}`).join("; ");
}
