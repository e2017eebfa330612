import type { Ctx } from "../../context.ts";
import { blockedIn } from "../blocks.ts";
import { DomainError, Invalid, Unavailable } from "../errors.ts";
import { followTag } from "../graph/followed-tags.ts";
import { followersAfter, isFollowing } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import { type Stamp, parseTimestamp } from "../stamp.ts";
import { follow, reconcileFollow } from "../actions/follow.ts";
import { rebuildHome } from "../timelines/home.ts";
import { limitConcurrency } from "../concurrency-limit.ts";
import { parseLanguage } from "../tweets/language.ts";
import { checkWarned, foldTag } from "../tweets/text.ts";
import { wordsOf } from "../tweets/tweet.ts";
import { requireRoom } from "../pictures/room.ts";
import { chargeBudget, isBudgetSpent } from "../users/budgets.ts";
import { findUser, findUserByName } from "../users/store.ts";
import { type ImportItem, readExport } from "./import-file.ts";
import {
  findImport,
  deleteItems,
  type Import,
  type ImportProgress,
  readPart,
  saveProgress,
  type SkipReason,
  storeImport,
} from "./import-store.ts";
import { importList } from "./import-lists.ts";
import { arePicturesSpent, dropOriginals, keepOriginals } from "./import-pictures.ts";
import { importWord } from "./muted-word-rows.ts";
import { Tally } from "./import-tally.ts";
import { importTweets, type Original } from "./import-tweets.ts";

/** Milliseconds; a file is stored long before. */
const laterMilliseconds = 60_000;
/** Parts, or pages of followers, per job before it promises the next one. */
const stepsAtOnce = 20;
const followersAtOnce = 100;
/** Tweets that are younger than this when an import begins are refused: followers would see them as new. */
const newsMicroseconds = 24 * 60 * 60 * 1e6;
/** Files read at a time; waiting files stay in memory. */
const inSlot = limitConcurrency({ what: "imports", slots: 1, queueLimit: 8, retryAfter: 10 });

/**
 * Stores an exported file and promises to import its follows and tweets. Throws Invalid, beside `file`, if it
 * is not an export or the disk is nearly full, TooMany. Replaces an unfinished import of the same user. `from`: the
 * network that pays for it.
 */
export async function startImport(
  ctx: Ctx,
  user: UserId,
  file: Buffer,
  from?: string,
): Promise<void> {
  await inSlot(async () => {
    const read = await readExport(file);
    if (read.pictures.size > 0) await requireRoom(ctx, "file");
    // If this process ends before the promise below, the import must not be shown as running for a week.
    await ctx.jobs.workOnAccount({ task: "import", user }, laterMilliseconds);
    await keepOriginals(ctx, user, read.pictures);
    await storeImport(ctx, { user, from }, read);
  });
  await ctx.jobs.workOnAccount({ task: "import", user });
}

/** The job promised by startImport: does some steps, and promises the rest. May run twice. */
export async function continueImport(ctx: Ctx, user: UserId): Promise<void> {
  for (let steps = 0; steps < stepsAtOnce; steps += 1) {
    const current = await findImport(ctx, user);
    if (current === undefined || current.progress.done) return;
    // Nothing is imported into an account that is being erased.
    if ((await findUser(ctx, user)) === undefined) return;
    const { progress: before, parts } = current;
    const progress =
      before.parts < parts
        ? await importPart(ctx, user, current)
        : { ...before, ...(await updateFollowers(ctx, user, before.told)) };
    await saveProgress(ctx, user, { id: current.id, progress });
    // Only its own items: another import may have replaced it and is next.
    if (progress.done) await deleteItems(ctx, user, current.id);
  }
  await ctx.jobs.workOnAccount({ task: "import", user });
}

async function importPart(ctx: Ctx, user: UserId, current: Import): Promise<ImportProgress> {
  const { id, startedAt, from, progress } = current;
  const payer = { user, from };
  const items = await readPart(ctx, user, { id, part: progress.parts });
  const tally = new Tally(progress);
  const originals: Original[] = [];
  const pictured: Original[] = [];
  for (const item of items) {
    const checked = item.kind === "tweet" ? await checkTweet(ctx, item, startedAt) : undefined;
    if (typeof checked === "object")
      (checked.pictures === undefined ? originals : pictured).push(checked);
    else if (checked !== undefined) {
      tally.note(checked);
      if (item.kind === "tweet") await dropOriginals(ctx, user, item.pictures);
    } else if (item.kind === "follow")
      tally.note(await importFollow(ctx, user, item.name, startedAt));
    else if (item.kind === "tag") tally.note(await importTag(ctx, user, item.tag));
    else if (item.kind === "word") tally.note(await importWord(ctx, user, item));
    else if (item.kind === "list") tally.note(await importList(ctx, user, item));
    else tally.note("malformed");
  }
  for (const outcome of await importTweets(ctx, payer, { originals, by: id })) tally.note(outcome);
  // One after another: each keeps a core busy.
  for (const one of pictured) {
    const { pictures = [] } = one;
    const isOver = await arePicturesSpent(ctx, payer);
    // The tweet itself comes now, the pictures with the same file on another day.
    const original = isOver ? { ...one, pictures: undefined } : one;
    const isEmpty = isOver && one.text === "";
    const [outcome = "budget"] = isEmpty
      ? []
      : await importTweets(ctx, payer, { originals: [original], by: id });
    const shown = await dropOriginals(ctx, user, pictures);
    tally.note(outcome);
    const lost = outcome.startsWith("imported") || isOver ? pictures.length - shown : 0;
    tally.notePictures(shown, { reason: isOver ? "pictures" : "picture", count: lost });
  }
  return { ...tally.progress, parts: progress.parts + 1, items: progress.items + items.length };
}

/** The tweet as it will be written here, or the reason why not. */
async function checkTweet(
  ctx: Ctx,
  item: ImportItem & { kind: "tweet" },
  startedAt: Stamp,
): Promise<Original | SkipReason> {
  if (item.retweet) return "retweet";
  const createdAt = parseTimestamp(item.created_at);
  if (createdAt === undefined || createdAt > startedAt) return "date";
  if (createdAt > startedAt - newsMicroseconds) return "recent";
  const editedAt = parseTimestamp(item.edited_at ?? "");
  const { pictures, sensitive } = item;
  const { text, warning, problems } = checkWarned(item, { mayBeEmpty: pictures !== undefined });
  if (Object.keys(problems).length > 0) return "text";
  if ((await blockedIn(ctx, wordsOf({ text, warning }))) !== undefined) return "blocked";
  const isEdited = editedAt !== undefined && editedAt > createdAt && editedAt <= startedAt;
  const edited = isEdited ? editedAt : undefined;
  const language = parseLanguage(item.language ?? "");
  return { text, warning, language, createdAt, pictures, sensitive, editedAt: edited };
}

/**
 * A follow that is newer than the start of the import counts as imported: an earlier run may have made it. Follows
 * count for the same limit as those by hand.
 */
async function importFollow(
  ctx: Ctx,
  user: UserId,
  name: string,
  startedAt: Stamp,
): Promise<"followed" | "known" | SkipReason> {
  const followee = await findUserByName(ctx, name);
  if (followee === undefined || followee.id === user) return "person";
  const edge = { follower: user, followee: followee.id };
  const since = await isFollowing(ctx, edge);
  if (since !== undefined && since < startedAt) return "known";
  if (since === undefined && (await isBudgetSpent(ctx, "follows", { user }))) return "follows";
  try {
    await follow(ctx, edge);
    if (since === undefined) await chargeBudget(ctx, "follows", { user }, 1);
    return "followed";
  } catch (error) {
    // For example, a user who blocks them.
    if (error instanceof DomainError && !(error instanceof Unavailable)) return "refused";
    throw error;
  }
}

async function importTag(ctx: Ctx, user: UserId, raw: string): Promise<"tagged" | "tags"> {
  const tag = foldTag(raw);
  if (tag === undefined) return "tags";
  try {
    await followTag(ctx, user, tag);
    return "tagged";
  } catch (error) {
    if (error instanceof Invalid) return "tags";
    throw error;
  }
}

/**
 * Updates the home timelines of the next followers, after the stamp `told`, from the author's timeline, as a
 * new follow does: one write per follower for all tweets.
 */
async function updateFollowers(
  ctx: Ctx,
  user: UserId,
  told: Stamp,
): Promise<Pick<ImportProgress, "told" | "done">> {
  if (told === 0) await rebuildHome(ctx, user);
  const followers = await followersAfter(ctx, user, { after: told, limit: followersAtOnce });
  for (const { id } of followers) await reconcileFollow(ctx, { follower: id, followee: user });
  return { told: followers.at(-1)?.stamp ?? told, done: followers.length < followersAtOnce };
}
