import { listTweet } from "../domain/actions/deliver-tweet.ts";
import { countFollowers } from "../domain/graph/follows.ts";
import { addToBigTimeline } from "../domain/timelines/big.ts";
import { fanOut } from "../domain/timelines/fan-out.ts";
import { addToTimelines } from "../domain/timelines/store.ts";
import { listReply } from "../domain/tweets/reactions.ts";
import { findTweet } from "../domain/tweets/store.ts";
import { toTimelineTweet } from "../domain/tweets/tweet.ts";
import { keys, mostOf } from "../redis/keys.ts";
import { type Exam, keyCheck } from "./exam.ts";
import type { TweetFacts } from "./facts.ts";
import { jobsAbout } from "./jobs.ts";

/** Older tweets are listed again without the global timeline: they may be imported. */
const newsMicroseconds = 24 * 60 * 60 * 1e6;

/** Each tweet is in its author's timeline; a reply also in the lists of the answered tweet and user. */
export const unlistedTweets = keyCheck({
  of: ["tweet"],
  async read(exam, items) {
    const tweets = await exam.livingTweets(items);
    const missing = await findMissing(exam, tweets);
    return tweets.map((one) => ({ ...one, missing: missing.get(one.tweet) }));
  },
  jobs: ({ tweet }) => jobsAbout(tweet.id, tweet),
  faults: {
    "tweet-unlisted": {
      detail: ({ missing }) => missing !== undefined && `does not stand in ${missing}`,
      repair: "list it, and bring it to the followers",
      mend: (exam, { tweet }) => listAgain(exam, tweet),
    },
  },
});

/** By tweet, the key of a list that should have it but does not. */
async function findMissing(
  exam: Exam,
  tweets: { tweet: TweetFacts }[],
): Promise<Map<TweetFacts, string>> {
  const answered = tweets.flatMap(({ tweet }) => tweet.replyTo ?? []);
  const authors = tweets.map(({ tweet }) => tweet.author);
  const stateOf = await exam.facts.users([...authors, ...answered.map(({ author }) => author)]);
  const factsOf = await exam.facts.tweets(answered.map(({ tweet }) => tweet));
  const expected = tweets.flatMap(({ tweet }) => {
    const { id, author, replyTo } = tweet;
    if (stateOf(author) !== "alive") return [];
    const lists = [{ tweet, key: keys.userTimeline(author), member: id as string }];
    if (replyTo === undefined) return lists;
    if (factsOf(replyTo.tweet)?.alive === true)
      lists.push({ tweet, key: keys.tweetReplies(replyTo.tweet), member: id });
    if (replyTo.author === author) return lists;
    lists.push({ tweet, key: keys.replies(author), member: `${id}:${replyTo.author}` });
    if (stateOf(replyTo.author) === "alive")
      lists.push({ tweet, key: keys.answers(replyTo.author), member: `${id}:${author}` });
    return lists;
  });
  const asked = await exam.ask(expected, ({ key, member }) => ({ stamp: ["zscore", key, member] }));
  const absent = await exam.ask(
    asked.filter(({ stamp }) => stamp === null),
    ({ tweet, key }) => ({ newer: ["zcount", key, tweet.createdAt, "+inf"] }),
  );
  const missing = absent.filter(({ tweet: { replyTo }, key, newer }) => {
    // A list of answers may have been cut above the tweet.
    const isAnswers = replyTo !== undefined && key === keys.answers(replyTo.author);
    return !isAnswers || newer < mostOf("answers");
  });
  // The first of each tweet's lists stays.
  return new Map(missing.toReversed().map(({ tweet, key }) => [tweet, key]));
}

/** Recent tweets are delivered again; older ones only return to their lists. */
async function listAgain({ ctx }: Exam, { id, createdAt, author }: TweetFacts): Promise<void> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) return;
  if (ctx.now() * 1000 - createdAt < newsMicroseconds) {
    await ctx.jobs.deliverTweet(id, "again");
    await listTweet(ctx, tweet);
    return;
  }
  const placed = { ...toTimelineTweet(tweet), unlisted: true };
  await addToTimelines(ctx, placed);
  await listReply(ctx, tweet);
  if ((await countFollowers(ctx, author)) > ctx.config.bigAccountFollowers)
    await addToBigTimeline(ctx, placed);
  else await fanOut(ctx, placed, { done: 0, save: async () => {} });
  // If it was deleted meanwhile, the deletion may have looked before.
  if ((await findTweet(ctx, id)) === undefined)
    await ctx.jobs.chore("settle-deletion", { tweet: id });
}
