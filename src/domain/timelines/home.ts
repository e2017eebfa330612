import type { Ctx } from "../../context.ts";
import { bestEffort } from "../outage.ts";
import { keys } from "../../redis/keys.ts";
import { withoutCaching } from "../scope.ts";
import { tallies } from "../tallies.ts";
import { allFollowings, followedTags } from "../graph/follows.ts";
import type { UserId, Stamp } from "../ids.ts";
import type { Entry, Range } from "../page.ts";
import { bigEntries, readBig } from "./big.ts";
import { fillHome, ensureHome, keptWhenCut, readHome, type StoredHome } from "./home-store.ts";
import { firstEntries, mergeLists, mergeUserTimelines } from "./merge.ts";

/**
 * Entries of a home timeline, in reading order: at least `limit` unless it ends before. Includes tweets of big
 * accounts and of followed hashtags, which are not stored in it. Tweets that are not stored, because the timeline
 * was cut at the cap or is not filled yet, are read from the user timelines of the user's followings.
 */
export async function homeEntries(ctx: Ctx, user: UserId, range: Range): Promise<Entry[]> {
  const [byFollowed, tagged] = await Promise.all([
    followedEntries(ctx, user, range),
    taggedEntries(ctx, user, range),
  ]);
  // Each side has all its entries up to its last one, so the first ones of both are complete.
  return tagged.length === 0 ? byFollowed : firstEntries([...byFollowed, ...tagged], range);
}

async function taggedEntries(ctx: Ctx, user: UserId, range: Range): Promise<Entry[]> {
  const tags = await followedTags(ctx, user);
  return tags.length === 0 ? [] : await mergeLists(ctx, tags.map(keys.tag), range);
}

async function followedEntries(ctx: Ctx, user: UserId, range: Range): Promise<Entry[]> {
  const { after = 0, limit } = range;
  const home = await storedOrRebuilt(ctx, user, range);
  const big = await readBig(ctx);
  const floor = Math.max(home.floor, big.floor);
  const isWhole = floor <= after;
  // Upwards from below the floor, only the user timelines have everything.
  if (range.upwards === true && !isWhole) return await mergeFollowed(ctx, user, range);
  const stored = home.entries.filter((entry) => entry.stamp >= floor);
  const lowest = (stored[limit - 1]?.stamp ?? floor) - 1;
  const bound = range.upwards === true ? after : Math.max(after, lowest);
  const others = await bigEntries(ctx, big, user, { ...range, after: bound });
  // At the floor itself, a tweet with the same stamp may have been cut.
  const isEnough = (entries: Entry[]) => (entries[limit - 1]?.stamp ?? 0) > floor;
  if (others.length === 0 && (isEnough(stored) || isWhole)) return stored;
  // Counted without duplicates: a tweet may be stored and in the big timeline.
  const merged = firstEntries([...stored, ...others], range);
  if (isEnough(merged) || isWhole) return merged;
  // Including the floor itself; duplicates are dropped.
  const before = floor === Infinity ? range.before : Math.min(range.before ?? Infinity, floor + 1);
  const below = await mergeFollowed(ctx, user, { ...range, before });
  return firstEntries([...merged, ...below], range);
}

/**
 * Makes a home timeline at sign-up and sign-in, or renews it. New user: an empty, complete timeline. Returning
 * user: an unfilled one, which the first read fills.
 */
export async function prepareHome(ctx: Ctx, user: UserId, who: "new" | "returning"): Promise<void> {
  await ensureHome(ctx, user, who === "new" ? 0 : "+inf");
}

/** Above this stamp home is read without asking all its authors. */
export async function homeFloor(ctx: Ctx, user: UserId): Promise<Stamp> {
  const home = await readHome(ctx, user, { before: undefined, limit: 1 });
  const floor = Math.max(home?.floor ?? 0, (await readBig(ctx)).floor);
  return floor === Infinity ? 0 : floor;
}

async function storedOrRebuilt(ctx: Ctx, user: UserId, range: Range): Promise<StoredHome> {
  const home = await readHome(ctx, user, range);
  if (home !== undefined && home.floor !== Infinity) return home;
  // If the rebuilt timeline cannot be stored, entries are read from the user timelines.
  await bestEffort(withoutCaching(() => rebuildHome(ctx, user)));
  return (await readHome(ctx, user, range)) ?? { floor: Infinity, entries: [] };
}

/**
 * Fills a home timeline from the user timelines. The empty timeline is made first and the user timelines are
 * read after that, so a tweet posted in between is delivered, or read, or both. May run twice, and at the same
 * time as deliveries.
 */
export async function rebuildHome(ctx: Ctx, user: UserId): Promise<void> {
  await ensureHome(ctx, user, "+inf");
  const limit = keptWhenCut(ctx.config.timelineCap) - 1;
  const entries = await mergeFollowed(ctx, user, { before: undefined, limit });
  const floor = entries.length < limit ? 0 : (entries.at(-1)?.stamp ?? 0);
  await fillHome(ctx, user, { whose: "all", entries, floor });
  tallies.rebuilt.inc();
}

/** From the truth: the user timelines of the user and their followings. */
export async function mergeFollowed(ctx: Ctx, user: UserId, range: Range): Promise<Entry[]> {
  const followings = await allFollowings(ctx, user);
  const authors = new Set([user, ...followings]);
  const shows = (author: UserId, to: UserId) => author === user || authors.has(to);
  return await mergeUserTimelines(ctx, [user, ...followings], range, shows);
}
