import type { Ctx } from "../context.ts";
import { readContent } from "../domain/search/build-segment.ts";
import { positionsIn, tweetsOf } from "../domain/search/read-segment.ts";
import { rebuild } from "../domain/search/seal-tweets.ts";
import { isReadAfter, readSegments, type Segment, segmentOf } from "../domain/search/segments.ts";
import { keys } from "../redis/keys.ts";
import { inBatches } from "../domain/concurrency-limit.ts";
import { eachKey, keyCheck, type Run } from "./run.ts";

/** Terms that are read at a time. */
const termsAtOnce = 1000;

/** Each segment has the words of its tweets. Those that it lacks as a whole must be in open lists: search-index.ts. */
export const segmentTerms = eachKey({
  of: ["sealedOrder"],
  atOnce: 1,
  async read(run, item) {
    const { segments } = await readSegments(run.ctx);
    const segment = segments.find(({ token }) => token === item.owner);
    return { ...item, segment, missing: segment && (await missingTerm(run, segment)) };
  },
  faults: {
    "tweet-index": {
      detail: ({ missing }) =>
        missing !== undefined && `does not find all tweets with "${missing}"`,
      how: "make the segment anew",
      repair: ({ ctx }, { segment }) => renew(ctx, segment),
    },
  },
});

/** The first term that lacks a tweet, of those that the segment has. */
async function missingTerm({ ctx }: Run, segment: Segment): Promise<string | undefined> {
  const { indexes, tweets } = await readContent(ctx, segment);
  const entries = await tweetsOf(ctx, segment);
  const positions = new Map(entries.map(({ id }, position) => [id, position]));
  const expected = tweets.map((tweet) =>
    isReadAfter(segment, tweet) ? positions.get(tweet.id) : undefined,
  );
  for (const some of inBatches([...indexes], termsAtOnce)) {
    const completeness = await Promise.all(
      some.map(async ([term, which]) => {
        const listed = new Set(await positionsIn(ctx, segment, [term]));
        return which.every((at) => expected[at] === undefined || listed.has(expected[at]));
      }),
    );
    const incomplete = completeness.indexOf(false);
    if (incomplete !== -1) return some[incomplete]?.[0];
  }
  return undefined;
}

/** Every segment is there. */
export const segmentList = eachKey({
  of: ["sealed"],
  async read({ ctx }, item) {
    const { segments } = await readSegments(ctx);
    const full = segments.filter(({ buckets }) => buckets > 0);
    const orders = full.map(({ token }) => keys.sealedOrder(token));
    const present = await Promise.all(orders.map((key) => ctx.redis.exists(key)));
    return { ...item, lost: full.find((_, nth) => present[nth] === 0) };
  },
  faults: {
    "tweet-index": {
      detail: ({ lost }) => lost !== undefined && `has lost the tweets from ${lost.first} on`,
      how: "make the segment anew",
      async repair({ ctx }, { lost }) {
        const { segments } = await readSegments(ctx);
        await renew(ctx, segmentOf(segments, lost?.first ?? 0));
      },
    },
  },
});

/** Each key of a segment belongs to one that is there, or that is noted to be deleted. */
export const segmentKeys = keyCheck({
  of: ["sealedOrder", "sealedLong", "sealedTerms"],
  async read(run, items) {
    const { segments, remains } = await readSegments(run.ctx);
    const tokens = new Set([...segments, ...remains].map(({ token }) => token));
    return items.map((item) => ({ ...item, isKnown: tokens.has(item.owner) }));
  },
  faults: {
    "tweet-index": {
      detail: ({ isKnown }) => !isKnown && "belongs to no segment",
      how: "delete it",
      repair: ({ ctx }, { key }) => ctx.redis.unlink(key),
    },
  },
});

/** Makes a segment anew; the job then takes its tweets out of the open lists. */
async function renew(ctx: Ctx, segment: Segment | undefined): Promise<void> {
  if (segment === undefined) return;
  await rebuild(ctx, [segment]);
  await ctx.jobs.chore("seal-tweets", {});
}
