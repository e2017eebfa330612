import type { Ctx } from "../../context.ts";
import { DomainError, Unavailable } from "../errors.ts";
import { followersAfter, isFollowing } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import { follow, reconcileFollow } from "../actions/follow.ts";
import { rebuildHome } from "../timelines/home.ts";
import { takeTurns } from "../concurrency-limit.ts";
import { checkText } from "../tweets/text.ts";
import { findUser, findUserByName } from "../users/store.ts";
import { type ImportItem, readExport } from "./import-file.ts";
import {
  findImport,
  forgetItems,
  type Import,
  type Progress,
  readPart,
  saveProgress,
  type SkipReason,
  storeImport,
} from "./import-store.ts";
import { importTweets, type Original, type Outcome } from "./import-tweets.ts";
import { readMoment } from "./timestamps.ts";

/** A file is stored long before. */
const laterMilliseconds = 60_000;
/** Parts, or pages of followers, that one job does before it promises the next. */
const stepsAtOnce = 20;
const followersAtOnce = 100;
/** What is younger than a day when its import begins would stand among the news of its followers. */
const newsMicroseconds = 24 * 60 * 60 * 1e6;
/** Files that are read at a time; the others wait with all their bytes. */
const inTurn = takeTurns({ what: "imports", atOnce: 1, queueLimit: 8, retryAfter: 10 });

/**
 * Keeps an exported file and promises to import its follows and tweets. Throws Invalid, beside `file`,
 * if it is none, TooMany. An earlier import of the same person that is not done gives way to it.
 */
export async function startImport(ctx: Ctx, user: UserId, file: Uint8Array): Promise<void> {
  await inTurn(async () => {
    const read = readExport(file);
    // Should this process end before the promise below, it is not said for a week to be in progress.
    await ctx.jobs.workOnAccount({ task: "import", user }, laterMilliseconds);
    await storeImport(ctx, user, read);
  });
  await ctx.jobs.workOnAccount({ task: "import", user });
}

/** The job promised by startImport: some steps of it, and the promise of more. May run twice. */
export async function goOnImporting(ctx: Ctx, user: UserId): Promise<void> {
  for (let steps = 0; steps < stepsAtOnce; steps += 1) {
    const current = await findImport(ctx, user);
    if (current === undefined || current.progress.done) return;
    // An account that is being erased takes nothing in any more.
    if ((await findUser(ctx, user)) === undefined) return;
    const progress = await takeStep(ctx, user, current);
    await saveProgress(ctx, user, { id: current.id, progress });
    // Its own only: another import may have taken its place, whose turn is then the next.
    if (progress.done) await forgetItems(ctx, user, current.id);
  }
  await ctx.jobs.workOnAccount({ task: "import", user });
}

async function takeStep(ctx: Ctx, user: UserId, current: Import): Promise<Progress> {
  const { progress, parts } = current;
  if (progress.parts < parts) return await importPart(ctx, user, current);
  return { ...progress, ...(await tellFollowers(ctx, user, progress.told)) };
}

async function importPart(ctx: Ctx, user: UserId, current: Import): Promise<Progress> {
  const { id, startedAt, progress } = current;
  const items = await readPart(ctx, user, { id, part: progress.parts });
  const tally = new Tally(progress);
  const originals: Original[] = [];
  for (const item of items) {
    const checked = item.kind === "tweet" ? checkTweet(item, startedAt) : undefined;
    if (typeof checked === "object") originals.push(checked);
    else if (checked !== undefined) tally.note(checked);
    else if (item.kind === "follow")
      tally.note(await importFollow(ctx, user, item.name, startedAt));
    else tally.note("malformed");
  }
  for (const outcome of await importTweets(ctx, user, { originals, by: id })) tally.note(outcome);
  return { ...tally.progress, parts: progress.parts + 1, items: progress.items + items.length };
}

/** As it will be written here, or why it will not be. */
function checkTweet(item: ImportItem & { kind: "tweet" }, startedAt: Stamp): Original | SkipReason {
  if (item.retweet) return "retweet";
  const createdAt = readMoment(item.created_at);
  if (createdAt === undefined || createdAt > startedAt) return "date";
  if (createdAt > startedAt - newsMicroseconds) return "recent";
  const { text, problem } = checkText(item.text);
  return problem === undefined ? { text, createdAt } : "text";
}

/** Somebody followed since the import began was followed by it, which may have ended just then. */
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
  try {
    await follow(ctx, edge);
    return "followed";
  } catch (error) {
    // Somebody who blocks them, for one.
    if (error instanceof DomainError && !(error instanceof Unavailable)) return "refused";
    throw error;
  }
}

/**
 * Brings the home timelines of the next followers, after the stamp `told`, in line with the author's
 * timeline, as if they had just begun to follow: however many tweets came, that is one write each.
 */
async function tellFollowers(
  ctx: Ctx,
  user: UserId,
  told: Stamp,
): Promise<Pick<Progress, "told" | "done">> {
  if (told === 0) await rebuildHome(ctx, user);
  const followers = await followersAfter(ctx, user, { after: told, limit: followersAtOnce });
  for (const { id } of followers) await reconcileFollow(ctx, { follower: id, followee: user });
  return { told: followers.at(-1)?.stamp ?? told, done: followers.length < followersAtOnce };
}

/** The figures of a part, added to those before it. */
class Tally {
  readonly progress: Progress;

  constructor(before: Progress) {
    this.progress = { ...before, skipped: { ...before.skipped } };
  }

  note(outcome: Outcome | "followed" | SkipReason): void {
    if (outcome.endsWith(" unlisted")) this.progress.unlisted = (this.progress.unlisted ?? 0) + 1;
    if (outcome === "imported" || outcome === "imported unlisted") this.progress.tweets += 1;
    else if (outcome === "followed") this.progress.follows += 1;
    else if (outcome === "known" || outcome === "known unlisted") this.progress.known += 1;
    else this.progress.skipped[outcome] = (this.progress.skipped[outcome] ?? 0) + 1;
  }
}
