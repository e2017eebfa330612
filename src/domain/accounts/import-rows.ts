import { z } from "zod";
import { forEachOf } from "../concurrency-limit.ts";
import { keys } from "../../redis/keys.ts";
import { follow } from "../actions/follow.ts";
import { DomainError, Invalid, NotFound, Unavailable } from "../errors.ts";
import {
  type Filter,
  filterActions,
  filterContexts,
  listFilters,
  writeFilter,
} from "../graph/filters.ts";
import { findRequest } from "../graph/follow-requests.ts";
import { followTag, isFollowing } from "../graph/follows.ts";
import { addToList, type ListInput, listsOf, makeList } from "../graph/lists.ts";
import { filterOfWord } from "../graph/muted-words.ts";
import { formatTimestamp, parseTimestamp, stampAt } from "../ids.ts";
import { timelineSeconds } from "../timelines/home-store.ts";
import { foldTag } from "../tweets/text.ts";
import { cleanLine } from "../users/display-text.ts";
import { charge, isSpent } from "../users/payer.ts";
import { findUserByName } from "../users/store.ts";
import { followClaim, type ImportRun, type Outcome } from "./import-run.ts";

// Each function imports a row, and may throw Invalid for one that is not allowed.

/**
 * A follow that is newer than the start of the import counts as imported: an earlier run may have made it. Follows
 * count for the same limit as those by hand.
 */
export async function importFollow(
  { ctx, payer: { user }, startedAt, id }: ImportRun,
  { name }: { name: string },
): Promise<Outcome> {
  const followee = await findUserByName(ctx, name);
  if (followee === undefined || followee.id === user) return "person";
  const edge = { follower: user, followee: followee.id };
  const since = (await isFollowing(ctx, edge)) ?? (await findRequest(ctx, edge));
  if (since !== undefined && since < startedAt) return "known";
  if (since === undefined && (await isSpent(ctx, "follow", { user }))) return "follows";
  // Undoing the import ends it.
  const claim = [keys.imported(user), followClaim(followee.id)] as const;
  if (since === undefined) {
    await ctx.redis.hset(...claim, `${followee.id}:${id}`);
    await ctx.redis.expire(claim[0], timelineSeconds(ctx));
  }
  try {
    await follow(ctx, edge);
    if (since === undefined) await charge(ctx, "follow", { user }, 1);
    return "imported";
  } catch (error) {
    if (!(error instanceof DomainError) || error instanceof Unavailable) throw error;
    // For example, a user who blocks them.
    await ctx.redis.hdel(...claim);
    return "refused";
  }
}

export async function importTag(
  { ctx, payer }: ImportRun,
  { tag: raw }: { tag: string },
): Promise<Outcome> {
  const tag = foldTag(raw);
  if (tag === undefined) return "tags";
  await followTag(ctx, payer.user, tag);
  return "imported";
}

/** A keyword of a filter in an export; most muted words are a word and nothing more. */
export const wordRow = z.object({
  word: z.string(),
  until: z.string().optional(),
  title: z.string().optional(),
  action: z.enum(filterActions).optional(),
  contexts: z.array(z.enum(filterContexts)).optional(),
  whole: z.boolean().optional(),
});

type WordRow = z.output<typeof wordRow>;

/** A row for each keyword. Leaves out what is the same for most. */
export function toWordRows({ title, action, contexts, until, keywords }: Filter): WordRow[] {
  return keywords.map(({ word, whole }) => ({
    word,
    until: until === Infinity ? undefined : formatTimestamp(until),
    title: title === word ? undefined : title,
    action: action === "hide" ? undefined : action,
    contexts: contexts.length === filterContexts.length ? undefined : [...contexts],
    whole: whole ? undefined : whole,
  }));
}

/** Mutes the word as the file says, by a filter of its own, unless a filter has it already. May run twice. */
export async function importWord(
  { ctx, payer: { user } }: ImportRun,
  row: WordRow,
): Promise<Outcome> {
  const { word, title = word, action = "hide", contexts = filterContexts, whole = true } = row;
  const until = row.until === undefined ? Infinity : parseTimestamp(row.until);
  if (until === undefined || until <= stampAt(ctx.now(), user)) return "words";
  const id = filterOfWord(await listFilters(ctx, user), word, whole);
  const filter = { title, action, contexts, until, keywords: [{ id, word, whole }] };
  await writeFilter(ctx, user, id, (known) => known ?? filter);
  return "imported";
}

/** Members added at the same time. */
const membersAtOnce = 20;

/**
 * Fills the user's list of this name, or makes it. Only people that the user follows by now are added: the follows
 * of the file come first. May run twice.
 */
export async function importList(
  { ctx, payer: { user: owner } }: ImportRun,
  { title, replies, members: names }: ListInput & { members: string[] },
): Promise<Outcome> {
  const existing = (await listsOf(ctx, owner)).find((list) => list.title === cleanLine(title));
  const { id: list } = existing ?? (await makeList(ctx, owner, { title, replies }));
  await forEachOf(names, membersAtOnce, async (name) => {
    const user = await findUserByName(ctx, name);
    if (user === undefined) return;
    await addToList(ctx, { owner, list, member: user.id }).catch((error: unknown) => {
      if (!(error instanceof Invalid || error instanceof NotFound)) throw error;
    });
  });
  return "imported";
}
