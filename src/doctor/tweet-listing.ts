import { fanOut } from "../domain/timelines/fan-out.ts";
import { countFollowers } from "../domain/graph/follows.ts";
import { addToBigTimeline } from "../domain/timelines/big.ts";
import { addToTimelines } from "../domain/timelines/store.ts";
import { listTweet } from "../domain/actions/deliver-tweet.ts";
import { listReply } from "../domain/tweets/reactions.ts";
import { findTweet } from "../domain/tweets/store.ts";
import { toTimelineTweet, type Tweet } from "../domain/tweets/tweet.ts";
import type { Command } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { Exam } from "./exam.ts";
import { jobsAbout } from "./pending.ts";

/** Older tweets are listed again without the global timeline: they may be imported. */
const newsMicroseconds = 24 * 60 * 60 * 1e6;
const answersKept = 1000;

/** Each tweet is in its author's timeline; a reply also in the lists of the answered tweet and user. */
export async function checkListed(exam: Exam, tweets: Tweet[]): Promise<void> {
  const missing = await findMissing(exam, tweets);
  for (const [index, tweet] of tweets.entries())
    if (missing[index] !== undefined) suspectUnlisted(exam, tweet);
}

/** For each tweet, a list that should have it but does not, if any. */
async function findMissing(exam: Exam, tweets: Tweet[]): Promise<(string | undefined)[]> {
  const people = tweets.flatMap(({ author, replyTo }) => [
    author,
    ...(replyTo ? [replyTo.author] : []),
  ]);
  const stateOf = await exam.facts.users(people);
  const parents = tweets.flatMap(({ replyTo }) => (replyTo ? [replyTo.tweet] : []));
  const factsOf = await exam.facts.tweets(parents);
  const expected = tweets.flatMap(
    (tweet, index): { index: number; key: string; command: Command }[] => {
      const { id, author, replyTo } = tweet;
      if (stateOf(author) !== "alive") return [];
      const at = (key: string, member: string) => ({
        index,
        key,
        command: ["zscore", key, member] satisfies Command,
      });
      const found = [at(keys.userTimeline(author), id)];
      if (replyTo === undefined) return found;
      if (factsOf(replyTo.tweet)?.state === "alive")
        found.push(at(keys.tweetReplies(replyTo.tweet), id));
      if (replyTo.author === author) return found;
      found.push(at(keys.replies(author), `${id}:${replyTo.author}`));
      if (stateOf(replyTo.author) === "alive")
        found.push(at(keys.answers(replyTo.author), `${id}:${author}`));
      return found;
    },
  );
  const stamps = await exam.ask<string | null>(expected.map(({ command }) => command));
  const absent = expected.filter((_, nth) => stamps[nth] === null);
  return await withoutCut(exam, tweets, absent);
}

/** Leaves out lists of answers that were cut above the tweet. */
async function withoutCut(
  exam: Exam,
  tweets: Tweet[],
  absent: { index: number; key: string }[],
): Promise<(string | undefined)[]> {
  const newer = await exam.ask<number>(
    absent.map(({ index, key }) => ["zcount", key, tweets[index]?.createdAt ?? 0, "+inf"]),
  );
  const missing: (string | undefined)[] = tweets.map(() => undefined);
  for (const [nth, { index, key }] of absent.entries()) {
    const to = tweets[index]?.replyTo?.author;
    const isCut = to !== undefined && key === keys.answers(to) && (newer[nth] ?? 0) >= answersKept;
    if (!isCut) missing[index] ??= key;
  }
  return missing;
}

function suspectUnlisted(exam: Exam, tweet: Tweet): void {
  const { id } = tweet;
  exam.suspect({
    kind: "tweet-unlisted",
    key: keys.tweet(id),
    jobs: jobsAbout(id, tweet),
    async look() {
      const [facts] = await exam.facts.readTweets([id]);
      if (facts?.state !== "alive") return undefined;
      const [key] = await findMissing(exam, [tweet]);
      return key === undefined ? undefined : `does not stand in ${key}`;
    },
    repair: "list it, and bring it to the followers",
    mend: () => listAgain(exam, tweet),
  });
}

/** Recent tweets are delivered again; older ones only return to their lists. */
async function listAgain({ ctx }: Exam, tweet: Tweet): Promise<void> {
  if (ctx.now() * 1000 - tweet.createdAt < newsMicroseconds) {
    await ctx.jobs.deliverTweet(tweet.id, "again");
    await listTweet(ctx, tweet);
    return;
  }
  const placed = { ...toTimelineTweet(tweet), unlisted: true };
  await addToTimelines(ctx, placed);
  await listReply(ctx, tweet);
  if ((await countFollowers(ctx, tweet.author)) > ctx.config.bigAccountFollowers)
    await addToBigTimeline(ctx, placed);
  else await fanOut(ctx, placed, { done: 0, save: async () => {} });
  // If it was deleted meanwhile, the deletion may have looked before.
  if ((await findTweet(ctx, tweet.id)) === undefined)
    await ctx.jobs.chore("settle-deletion", { tweet: tweet.id });
}
