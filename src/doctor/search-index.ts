import { workFor } from "../domain/actions/reconcile-edit.ts";
import { type UserId, tweetId, userId } from "../domain/ids.ts";
import { firstCharacterOf, indexPerson, peopleEntries } from "../domain/search/index-person.ts";
import { indexedAs, termKey, termSeconds, tweetsKept } from "../domain/search/index-tweet.ts";
import { findTweet } from "../domain/tweets/store.ts";
import { type Tweet, toTweet, tweetFields } from "../domain/tweets/tweet.ts";
import type { Command } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import { groupBy, runAll } from "./ask.ts";
import { type Run, keyCheck } from "./run.ts";
import { jobsAbout } from "./jobs.ts";

/** Older tweets may have left the lists of their terms with the lists. */
const keptMicroseconds = (termSeconds - 24 * 60 * 60) * 1e6;

/** The search finds each tweet by its words and tags. */
export const tweetIndex = keyCheck({
  of: ["tweet"],
  async read(run, items) {
    const hashes = await run.ask(items, ({ key }) => ({ values: ["hmget", key, ...tweetFields] }));
    const tweets = hashes.flatMap(({ values, ...item }) => {
      const tweet = toTweet(tweetId(item.owner), values);
      return tweet && isSettled(run, tweet) ? [{ ...item, tweet }] : [];
    });
    const missing = await missingTerms(run, tweets);
    const stateOf = await run.facts.users(tweets.map(({ tweet }) => tweet.author));
    return tweets.map((one) => ({
      ...one,
      author: stateOf(one.tweet.author),
      missing: missing.get(one.tweet) ?? [],
    }));
  },
  jobs: ({ tweet }) => [...jobsAbout(tweet.id, tweet), "index-older"],
  faults: {
    "tweet-index": {
      detail: ({ author, missing: [term] }) =>
        author === "alive" && term !== undefined && `is not found by "${term}"`,
      how: "list it under its words",
      async repair({ ctx }, { tweet, missing }) {
        const lists = missing.map(termKey);
        await runAll(ctx.redis, [
          ...lists.map((list): Command => ["zadd", list, tweet.createdAt, tweet.id]),
          ...lists.map((list): Command => ["expire", list, termSeconds]),
        ]);
        // If it was deleted or edited meanwhile, that may have looked before.
        const again = await findTweet(ctx, tweet.id);
        if (again === undefined) await ctx.jobs.chore("unindex-tweet", indexedAs(tweet));
        else if (again.editedAt !== tweet.editedAt)
          await ctx.jobs.chore("reconcile-edit", workFor(tweet, again));
      },
    },
  },
});

function isSettled(run: Run, { createdAt, editedAt = createdAt }: Tweet): boolean {
  return !run.isYoung(editedAt) && run.ctx.now() * 1000 - createdAt < keptMicroseconds;
}

/**
 * By tweet, the terms that lack it. None if all of its terms do: then it was left out on purpose, as its
 * author's budget of the day was spent. One command per term.
 */
async function missingTerms(run: Run, tweets: { tweet: Tweet }[]): Promise<Map<Tweet, string[]>> {
  const uses = tweets.flatMap(({ tweet }) =>
    indexedAs(tweet).terms.map((term) => ({ term, tweet })),
  );
  const lists = [...groupBy(uses, ({ term }) => term)].map(([term, some]) => ({ term, some }));
  const scored = await run.ask(lists, ({ term, some }) => ({
    scores: ["zmscore", termKey(term), ...some.map(({ tweet }) => tweet.id)],
  }));
  const absent = await run.ask(
    scored.flatMap(({ some, scores }) => some.filter((_, nth) => scores[nth] === null)),
    ({ term, tweet }) => ({ newer: ["zcount", termKey(term), tweet.createdAt, "+inf"] }),
  );
  const missing = new Map<Tweet, string[]>();
  for (const [tweet, lacking] of groupBy(absent, (use) => use.tweet)) {
    // A list decides nothing about tweets that are older than it can hold.
    const terms = lacking
      .filter(({ term, newer }) => newer < tweetsKept(term))
      .map(({ term }) => term);
    if (lacking.length < indexedAs(tweet).terms.length) missing.set(tweet, terms);
  }
  return missing;
}

/** The lists of words and tags have only tweets that exist. */
export const termLists = keyCheck({
  of: ["searchTerm", "tag"],
  each: "member",
  async read(run, members) {
    const factsOf = await run.facts.tweets(members.map(({ id }) => id));
    return members.map((member) => ({ ...member, facts: factsOf(member.id) }));
  },
  jobs: ({ id, facts }) => [
    ...jobsAbout(id, facts),
    ...(facts === undefined ? [] : [`unindex-tweet ${id} ${facts.author}`]),
  ],
  faults: {
    "tweet-index": {
      detail: ({ id, facts }) => facts?.alive !== true && `has ${id}, which is gone`,
      how: "take it out",
      repair: ({ ctx }, { key, id }) => ctx.redis.zrem(key, id),
    },
  },
});

/** The search finds each user by their current names. */
export const peopleIndex = keyCheck({
  of: ["user"],
  // Each takes several commands of its own.
  atOnce: 100,
  async read(run, items) {
    const stateOf = await run.facts.users(items.map(({ owner }) => owner));
    return await Promise.all(
      items.map(async (item) => {
        const user = userId(item.owner);
        return { ...item, user, state: stateOf(user), isRight: await isIndexed(run, user) };
      }),
    );
  },
  place: ({ user }) => ({ key: keys.indexedPerson(user) }),
  jobs: ({ user }) => [`index-person ${user}`, `erase ${user}`, "index-older"],
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
export const peopleEntryLists = keyCheck({
  of: ["searchPeople"],
  each: "member",
  async read(run, members) {
    const entries = members.map((member) => {
      const { id: entry } = member;
      return { ...member, user: userId(entry.slice(entry.lastIndexOf(" ") + 1)) };
    });
    const people = await run.ask(entries, ({ user }) => ({
      memo: ["get", keys.indexedPerson(user)],
    }));
    return await Promise.all(
      people.map(async (one) => {
        const isKnown = one.memo?.split("\n").includes(one.id) === true;
        return { ...one, isRight: isKnown || (await isWanted(run, one)) };
      }),
    );
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
