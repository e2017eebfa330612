import type { Ctx } from "../../../src/context.ts";
import { indexedAs, isTag, termKey } from "../../../src/domain/search/index-tweet.ts";
import { heldIn, positionsIn } from "../../../src/domain/search/read-segment.ts";
import { readSegments, segmentOf } from "../../../src/domain/search/segments.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import { versionFields } from "../../../src/domain/tweets/versions.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import type { Lab } from "./lab.ts";
import { inLanes } from "./lanes.ts";
import { postedAs, type Sent } from "./ledger.ts";
import { storedTweets } from "./stored.ts";

const lanes = 16;

type Words = Pick<Tweet, "text" | "warning">;

/**
 * Each tweet has all acknowledged edits once and in their order, with its whole history; the search and the hashtags
 * agree with its last version.
 */
export async function checkEdits(
  lab: Lab,
  ctx: Ctx,
  sent: ReadonlyMap<string, Sent>,
): Promise<void> {
  let edits = 0;
  const stored = await storedTweets(ctx);
  const texts = stored.map(({ text }) => postedAs(text));
  await inLanes(stored, lanes, async ({ id, text }) => {
    const known = sent.get(postedAs(text));
    const tweet = await findTweet(ctx, id);
    if (known === undefined || tweet === undefined) return;
    const earlier = await earlierVersions(ctx, tweet);
    edits += earlier.length;
    // Two with one text have edits of their own.
    if (texts.indexOf(known.text) === texts.lastIndexOf(known.text))
      checkVersions(lab, known, [...earlier, tweet]);
    await checkIndex(lab, ctx, tweet, earlier);
  });
  lab.report.notes.push(`${edits} edits`);
}

async function earlierVersions({ redis }: Ctx, { id }: Tweet): Promise<Words[]> {
  const [edits = "", ...versions] = await redis.hmget(keys.tweet(id), "edits", ...versionFields);
  const found = versions.flatMap((json) => (json === null ? [] : [JSON.parse(json) as Words]));
  if (found.length !== Number(edits)) throw new Error(`tweet ${id}: a history of ${found.length}`);
  return found;
}

function checkVersions({ report }: Lab, { text, edits }: Sent, versions: readonly Words[]): void {
  const texts = versions.map((version) => version.text);
  const what = texts.join(" | ");
  for (const { text: one, acknowledgedAt } of edits)
    if (acknowledgedAt !== undefined && !texts.includes(one))
      report.isLost(acknowledgedAt, "an acknowledged edit is lost", `${one}: ${what}`);
  const present = [text, ...edits.map((one) => one.text)].filter((one) => texts.includes(one));
  report.expect(present.join(" | ") === what, "a history is not what was sent", what);
}

/** The tweet is found by its terms, in open lists or its segment; no open list of an earlier version has it. */
async function checkIndex(
  { report }: Lab,
  ctx: Ctx,
  tweet: Tweet,
  earlier: readonly Words[],
): Promise<void> {
  const current = new Set(indexedAs(tweet).terms);
  const versions = earlier.map(({ text, warning }) => ({ ...tweet, text, warning }));
  const terms = [...new Set([...current, ...versions.flatMap((one) => indexedAs(one).terms)])];
  const stamps = await exec(
    ctx.redis,
    terms.map((term) => ["zscore", termKey(term), tweet.id]),
  );
  for (const [nth, term] of terms.entries()) {
    const isListed =
      stamps[nth] !== null || (current.has(term) && (await isSealed(ctx, tweet, term)));
    report.expect(
      isListed === current.has(term),
      current.has(term) ? "the search lacks a term" : "the search has a term of an earlier version",
      `${tweet.id}: ${term}`,
    );
  }
}

async function isSealed(ctx: Ctx, { id, createdAt }: Tweet, term: string): Promise<boolean> {
  const { segments } = await readSegments(ctx);
  const segment = segmentOf(segments, Number(id));
  if (segment === undefined || isTag(term)) return false;
  const positions = await positionsIn(ctx, segment, [term]);
  return (await heldIn(ctx, segment, [{ id, stamp: createdAt }], positions)).length > 0;
}
