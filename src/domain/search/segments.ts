import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { memo } from "../memo.ts";
import type { Stamp } from "../ids.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** A run of tweet ids whose words are in lists that never change: see build-segment.ts. */
export interface Segment {
  /** Ids from `first` on, below `end`. */
  first: number;
  end: number;
  /** How often it was merged. */
  level: number;
  /** In the names of its keys; never used again. */
  token: string;
  /** Number of its hashes of terms. */
  buckets: number;
  /** Stamps of its oldest and newest tweet. */
  oldest: Stamp;
  newest: Stamp;
  /** Stamp from before its texts were read. */
  built: Stamp;
  /** Whether its tweets have left the open lists. */
  swept: boolean;
}

/** Keys that nothing reads, or not yet: of a segment that is being made, or was replaced. */
interface Remains extends Pick<Segment, "token" | "buckets"> {
  /** Milliseconds since 1970. */
  since: number;
}

interface Manifest {
  /** By id, without gaps. */
  segments: readonly Segment[];
  remains: readonly Remains[];
}

/** Milliseconds that remains are kept: longer than a request, or the making of a segment, takes. */
const remainsKept = 60 * 60 * 1000;
const triesAtMost = 20;
/** Max distance of two clocks, and max time that an edit takes to be stored, in microseconds. */
const tolerated = 60e6;
/** Field of the one key that says which segments there are: a commit is one write. */
const field = "manifest";
const none = JSON.stringify({ segments: [], remains: [] });

/** The last one that was read, parsed. */
const parse = memo(({ text }: { text: string }) => JSON.parse(text) as Manifest);
let last = { text: none };

export async function readSegments({ redis }: Pick<Ctx, "redis">): Promise<Manifest> {
  const text = (await redis.hget(keys.sealed, field)) ?? none;
  if (last.text !== text) last = { text };
  return parse(last);
}

/** First id that no segment has. */
export function endOf(segments: readonly Segment[]): number {
  return segments.at(-1)?.end ?? 1;
}

/** The segment that an id belongs to. */
export function segmentOf(segments: readonly Segment[], id: number): Segment | undefined {
  return segments.find(({ first, end }) => first <= id && id < end);
}

/** Whether the texts were read after the last edit of a tweet, so that a segment that has the tweet has its words. */
export function isReadAfter({ built }: Segment, { editedAt = 0 }: Pick<Tweet, "editedAt">) {
  return editedAt < built - tolerated;
}

/** Changes it with a comparison; false, without a change, if `change` returns undefined. */
async function changeSegments(
  ctx: Ctx,
  change: (manifest: Manifest) => Manifest | undefined,
): Promise<boolean> {
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    const before = await readSegments(ctx);
    const after = change(before);
    if (after === undefined) return false;
    const expected = JSON.stringify(before);
    await ctx.redis.hsetnx(keys.sealed, field, none);
    const text = JSON.stringify(after);
    if ((await ctx.redis.updateIf(keys.sealed, field, expected, field, text)) === 1) return true;
  }
  throw new Error("the list of segments changes all the time");
}

/** Promises that the keys of a segment go away, unless it is committed. */
export async function announce(ctx: Ctx, { token, buckets }: Segment): Promise<void> {
  const remains = { token, buckets, since: ctx.now() };
  await changeSegments(ctx, (one) => ({ ...one, remains: [...one.remains, remains] }));
}

/**
 * Lets a segment that was announced take the place of `replaced`, or follow all others. False if another process was
 * faster.
 */
export async function commit(
  ctx: Ctx,
  segment: Segment,
  replaced: readonly Segment[],
): Promise<boolean> {
  return await changeSegments(ctx, ({ segments, remains }) => {
    const { token, first, end } = segment;
    const tokens = new Set(replaced.map((one) => one.token));
    const others = segments.filter((one) => !tokens.has(one.token));
    const isFree =
      segments.length - others.length === tokens.size &&
      others.every((one) => one.end <= first || one.first >= end) &&
      (tokens.size > 0 || endOf(segments) === first);
    if (!isFree || !remains.some((one) => one.token === token)) return undefined;
    const since = ctx.now();
    const old = replaced.map((one) => ({ token: one.token, buckets: one.buckets, since }));
    return {
      segments: [...others, segment].toSorted((one, other) => one.first - other.first),
      remains: [...remains.filter((one) => one.token !== token), ...old],
    };
  });
}

export async function noteSwept(ctx: Ctx, { token }: Segment): Promise<void> {
  const sweep = (one: Segment) => (one.token === token ? { ...one, swept: true } : one);
  await changeSegments(ctx, (one) => ({ ...one, segments: one.segments.map(sweep) }));
}

/** Deletes keys that nothing reads any more. May run twice. */
export async function removeRemains(ctx: Ctx): Promise<void> {
  const isOver = ({ since }: Remains) => ctx.now() - since > remainsKept;
  const old = (await readSegments(ctx)).remains.filter(isOver);
  if (old.length === 0) return;
  for (const remains of old) await unlinkSegment(ctx, remains);
  const gone = new Set(old.map(({ token }) => token));
  await changeSegments(ctx, (one) => ({
    ...one,
    remains: one.remains.filter(({ token }) => !gone.has(token)),
  }));
}

async function unlinkSegment(ctx: Ctx, { token, buckets }: Remains): Promise<void> {
  const names = Array.from({ length: buckets }, (_, nth) => keys.sealedTerms(token, nth));
  const all = [...names, keys.sealedLong(token), keys.sealedOrder(token)];
  await execEach(ctx.redis, all, (key) => ["unlink", key]);
}
