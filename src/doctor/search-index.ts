import { workFor } from "../domain/actions/reconcile-edit.ts";
import { type UserId, tweetId, userId } from "../domain/ids.ts";
import { firstCharacterOf, indexPerson, peopleEntries } from "../domain/search/index-person.ts";
import {
  indexedAs,
  isTag,
  listUnderTerms,
  markUnsealed,
  tagSeconds,
  termKey,
} from "../domain/search/index-tweet.ts";
import { isIn } from "../domain/search/read-segment.ts";
import { readSegments, segmentOf } from "../domain/search/segments.ts";
import { findTweet } from "../domain/tweets/store.ts";
import { type Tweet, toTweet, tweetFields } from "../domain/tweets/tweet.ts";
import { keys, mostOf } from "../redis/keys.ts";
import { groupBy } from "./items.ts";
import { inBatches } from "../domain/concurrency-limit.ts";
import { eachKey, keyCheck, type Run } from "./run.ts";
import { jobsAbout } from "./jobs.ts";

/** Older tweets may have left the lists of their hashtags with the lists. */
const keptMicroseconds = (tagSeconds - 24 * 60 * 60) * 1e6;

/** Max lists of terms that are read at a time. */
const termsAtOnce = 500;

/** The search finds each tweet by its words and tags. */
export const tweetIndex = keyCheck({
  of: ["tweet"],
  async read(run, items) {
    const read = await Promise.all(
      items.map(async (item) => {
        const values = await run.ctx.redis.hmget(item.key, ...tweetFields);
        const tweet = toTweet(tweetId(item.owner), values);
        if (tweet === undefined || run.isYoung(tweet.editedAt ?? tweet.createdAt)) return [];
        return [{ ...item, tweet, author: await run.facts.user(tweet.author) }];
      }),
    );
    const tweets = read.flat();
    const missing = await missingTerms(run, tweets);
    return tweets.map((one) => ({ ...one, missing: missing.get(one.tweet) ?? [] }));
  },
  jobs: ({ tweet }) => [...jobsAbout(tweet.id, tweet), "index-older"],
  faults: {
    "tweet-index": {
      detail: ({ author, missing: [term] }) =>
        author === "alive" && term !== undefined && `is not found by "${term}"`,
      how: "list it under its words",
      async repair({ ctx }, { tweet }) {
        await listUnderTerms(ctx, tweet);
        // If it was deleted or edited meanwhile, that may have looked before.
        const again = await findTweet(ctx, tweet.id);
        if (again === undefined) await ctx.jobs.chore("unindex-tweet", indexedAs(tweet));
        else if (again.editedAt !== tweet.editedAt)
          await ctx.jobs.chore("reconcile-edit", workFor(tweet, again));
      },
    },
  },
});

/**
 * By tweet, the terms that lack it; of a tweet that is sealed, only hashtags count here: segments.ts has the rest. None
 * if all of them do and it waits for its segment: then its author's budget of the day was spent.
 */
async function missingTerms(run: Run, tweets: { tweet: Tweet }[]): Promise<Map<Tweet, string[]>> {
  const { segments } = await readSegments(run.ctx);
  const due = await Promise.all(
    tweets.map(async ({ tweet }) => {
      const segment = segmentOf(segments, Number(tweet.id));
      const isSealed = segment !== undefined && (await isIn(run.ctx, segment, tweet));
      const keepsTags = run.ctx.now() * 1000 - tweet.createdAt < keptMicroseconds;
      const terms = indexedAs(tweet).terms.filter((term) => (isTag(term) ? keepsTags : !isSealed));
      const waits = isSealed || segment === undefined || (await isNoted(run, tweet.id));
      return { tweet, terms, waits };
    }),
  );
  const uses = due.flatMap(({ tweet, terms }) => terms.map((term) => ({ term, tweet })));
  const { redis } = run.ctx;
  const absent: { tweet: Tweet; term: string; newer: number }[] = [];
  for (const lists of inBatches([...groupBy(uses, ({ term }) => term)], termsAtOnce))
    await Promise.all(
      lists.map(async ([term, some]) => {
        const key = termKey(term);
        const scores = await redis.zmscore(key, ...some.map(({ tweet }) => tweet.id));
        for (const { tweet } of some.filter((_, nth) => scores[nth] === null))
          absent.push({ tweet, term, newer: await redis.zcount(key, tweet.createdAt, "+inf") });
      }),
    );
  const lackingBy = groupBy(absent, ({ tweet }) => tweet);
  return new Map(
    due.map(({ tweet, terms, waits }) => {
      const lacking = lackingBy.get(tweet) ?? [];
      // The list of a hashtag decides nothing about tweets that are older than it can hold.
      const missing = lacking.filter(({ term, newer }) => !isTag(term) || newer < mostOf("tag"));
      const isWrong = !waits || lacking.length < terms.length;
      return [tweet, isWrong ? missing.map(({ term }) => term) : []];
    }),
  );
}

async function isNoted({ ctx }: Run, id: string): Promise<boolean> {
  return (await ctx.redis.zcount(keys.unsealed, id, id)) > 0;
}

/** The lists of words and tags have only tweets that exist; those of words, none that wait for nothing. */
export const termLists = keyCheck({
  of: ["searchTerm", "tag"],
  each: "member",
  async read(run, members) {
    const { segments } = await readSegments(run.ctx);
    return await Promise.all(
      members.map(async (member) => {
        const { name, id } = member;
        const [facts, isWaiting] = await Promise.all([run.facts.tweet(id), isNoted(run, id)]);
        const isSwept = segmentOf(segments, Number(id))?.swept === true;
        return { ...member, facts, isLeft: name === "searchTerm" && !isWaiting && isSwept };
      }),
    );
  },
  jobs: ({ id, facts }) => [
    ...jobsAbout(id, facts),
    ...(facts === undefined ? [] : [`unindex-tweet ${id} ${facts.author}`]),
  ],
  faults: {
    "tweet-index": [
      {
        detail: ({ id, facts }) => facts?.alive !== true && `has ${id}, which is gone`,
        how: "take it out",
        repair: ({ ctx }, { key, id }) => ctx.redis.zrem(key, id),
      },
      {
        detail: ({ id, isLeft }) => isLeft && `still has ${id}, which is sealed`,
        how: "take it out when its segment is made anew",
        repair: ({ ctx }, { id }) => markUnsealed(ctx, { id: tweetId(id) }),
      },
    ],
  },
});

/** The search finds each user by their current names. */
export const peopleIndex = eachKey({
  of: ["user"],
  // Each takes several commands of its own.
  atOnce: 100,
  async read(run, item) {
    const user = userId(item.owner);
    const state = await run.facts.user(user);
    return { ...item, user, state, isRight: await isIndexed(run, user) };
  },
  place: ({ user }) => ({ key: keys.indexedPerson(user) }),
  jobs: ({ user }) => [`index-person ${user}`, "index-older"],
  faults: {
    "people-index": {
      detail: ({ user, state, isRight }) =>
        !isRight &&
        state !== "leaving" &&
        state !== "coming" &&
        `the search does not agree with user ${user}`,
      how: "index the user again",
      repair: ({ ctx }, { user }) => indexPerson(ctx, user),
    },
  },
});

async function isIndexed({ ctx }: Run, user: UserId): Promise<boolean> {
  const [wanted, memo] = await Promise.all([
    peopleEntries(ctx, user),
    ctx.redis.get(keys.indexedPerson(user)),
  ]);
  if ((memo ?? "") !== wanted.join("\n")) return false;
  const scores = await Promise.all(
    wanted.map((entry) => ctx.redis.zscore(keys.searchPeople(firstCharacterOf(entry)), entry)),
  );
  return scores.every((score) => score !== null);
}

/** The lists of people's names have only current ones. */
export const peopleEntryLists = eachKey({
  of: ["searchPeople"],
  each: "member",
  async read(run, member) {
    const { id: entry } = member;
    const user = userId(entry.slice(entry.lastIndexOf(" ") + 1));
    const memo = await run.ctx.redis.get(keys.indexedPerson(user));
    const isKnown = memo?.split("\n").includes(entry) === true;
    return { ...member, user, isRight: isKnown || (await isWanted(run, { user, id: entry })) };
  },
  jobs: ({ user }) => [`index-person ${user}`, `erase ${user}`, "index-older"],
  faults: {
    "people-index": {
      detail: ({ id: entry, user, isRight }) =>
        !isRight && `has "${entry}", which is no name of user ${user}`,
      how: "take it out",
      async repair(run, one) {
        await run.ctx.redis.zrem(one.key, one.id);
        // The user may just have got this name: the index is written after the name.
        if (await isWanted(run, one)) await indexPerson(run.ctx, one.user);
      },
    },
  },
});

async function isWanted({ ctx }: Run, { user, id }: { user: UserId; id: string }) {
  return (await peopleEntries(ctx, user)).includes(id);
}
