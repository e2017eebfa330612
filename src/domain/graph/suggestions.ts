import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId } from "../ids.ts";
import { perClient } from "../memo.ts";
import { hiddenFrom, relationsTo, type Viewer } from "./relations.ts";
import { followedAmong } from "./follows.ts";

/** A user suggested to the viewer. */
export interface Suggestion {
  id: UserId;
  /** Users followed by the viewer who follow this one; the viewer's newest following first. */
  through: UserId[];
}

/** Max followings of the viewer that are read, and max followings of each of these. */
const sampled = { followings: 30, theirs: 50 } as const;
/** Candidates cached for a viewer. */
const batch = 100;
const keptMilliseconds = 5 * 60_000;
const peopleKept = 2000;

interface CachedSuggestions {
  /** The sample it was computed from: a new following makes it invalid. */
  sample: string;
  ranked: Suggestion[];
}

const cacheOf = perClient(
  () => new LRUCache<UserId, CachedSuggestions>({ max: peopleKept, ttl: keptMilliseconds }),
);

/**
 * Suggests users followed by the viewer's followings. Sorted by the number of these followings; equals by
 * newest account. Leaves out the viewer, the viewer's followings, and users who are muted by or hidden from
 * the viewer; hidden followings do not count. Computed from a bounded sample, which each process caches for
 * five minutes. Each call checks as many users as it returns: to read a user costs more than to rank one.
 */
export async function suggestPeople(ctx: Ctx, viewer: Viewer, limit: number) {
  const newest = ["0", String(sampled.followings - 1), "REV"] as const;
  const sample = await ctx.redis.zrange(keys.followings(viewer.id), ...newest);
  if (sample.length === 0) return [];
  const ranked = await rankedFor(ctx, viewer, sample);
  const suggestions: Suggestion[] = [];
  for (let start = 0; start < ranked.length && suggestions.length < limit; start += limit)
    suggestions.push(...(await suggestible(ctx, viewer, ranked.slice(start, start + limit))));
  return await withVisibleReasons(ctx, viewer, suggestions.slice(0, limit));
}

/** From the cache, if it was computed from the same sample. */
async function rankedFor(ctx: Ctx, viewer: Viewer, sample: string[]): Promise<Suggestion[]> {
  const cache = cacheOf(ctx);
  const cached = cache.get(viewer.id);
  const version = sample.join(" ");
  if (cached?.sample === version) return cached.ranked;
  const followed = sample.map(userId);
  const isHidden = await hiddenFrom(ctx, viewer, followed);
  const seen = followed.filter((id) => !isHidden(id));
  const ranked = await findSuggestions(ctx, viewer, seen);
  cache.set(viewer.id, { sample: version, ranked });
  return ranked;
}

/** The first `batch` users whom the viewer does not follow, or all there are. */
async function findSuggestions(ctx: Ctx, viewer: Viewer, sample: UserId[]): Promise<Suggestion[]> {
  const ranked = rank(await followersIn(ctx, sample));
  const suggestions: Suggestion[] = [];
  for (let start = 0; start < ranked.length && suggestions.length < batch; start += batch) {
    const candidates = ranked.slice(start, start + batch);
    const ids = candidates.map(({ id }) => id);
    const followed = await followedAmong(ctx, viewer.id, ids);
    suggestions.push(...candidates.filter(({ id }) => id !== viewer.id && !followed.has(id)));
  }
  return suggestions.slice(0, batch);
}

/** Maps each user followed by the sample to their followers in the sample; one round trip. */
async function followersIn(ctx: Ctx, sample: UserId[]): Promise<Map<UserId, UserId[]>> {
  const range = [0, sampled.theirs - 1, "REV"] as const;
  const followings = sample.map(keys.followings);
  const lists = await execEach(ctx.redis, followings, (list) => ["zrange", list, ...range]);
  const through = new Map<UserId, UserId[]>();
  for (const [index, follower] of sample.entries())
    for (const id of lists[index] as UserId[])
      through.set(id, [...(through.get(id) ?? []), follower]);
  return through;
}

function rank(followers: Map<UserId, UserId[]>): Suggestion[] {
  const suggestions = [...followers].map(([id, through]) => ({ id, through }));
  return suggestions.toSorted(
    (one, other) => other.through.length - one.through.length || Number(other.id) - Number(one.id),
  );
}

async function suggestible(ctx: Ctx, viewer: Viewer, suggestions: Suggestion[]) {
  const ids = suggestions.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [followed, isHidden] = await Promise.all([
    followedAmong(ctx, viewer.id, ids),
    hiddenFrom(ctx, viewer, ids),
  ]);
  const relationTo = await relationsTo(ctx, viewer, ids);
  return suggestions.filter(
    ({ id }) => id !== viewer.id && !followed.has(id) && !isHidden(id) && !relationTo(id).muted,
  );
}

/** Suggestions without the followings that are hidden from the viewer. */
async function withVisibleReasons(ctx: Ctx, viewer: Viewer, suggestions: Suggestion[]) {
  const reasons = suggestions.flatMap(({ through }) => through);
  const isHidden = await hiddenFrom(ctx, viewer, reasons);
  return suggestions
    .map(({ id, through }) => ({ id, through: through.filter((one) => !isHidden(one)) }))
    .filter(({ through }) => through.length > 0);
}
