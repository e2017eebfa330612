import type { Ctx } from "../../context.ts";
import { reconcileFollow, unfollow } from "../actions/follow.ts";
import { withSource } from "../archives/zip.ts";
import { pauseDeadline } from "../deadline.ts";
import { forEachOf, limitConcurrency } from "../concurrency-limit.ts";
import { followersAfter } from "../graph/follows.ts";
import { tweetId, userId, type UserId, type Stamp } from "../ids.ts";
import { requireRoom } from "../pictures/files.ts";
import { promiseRemoval } from "../promises.ts";
import { rebuildHome } from "../timelines/home.ts";
import { mayGoOn, presentRight } from "../users/promised.ts";
import { requireRight } from "../users/roles.ts";
import { readUser } from "../users/store.ts";
import { importKinds, readExport } from "./import-file.ts";
import {
  type Alive,
  claimSeconds,
  followClaim,
  importClaim,
  type ImportProgress,
  type ImportRun,
  Tally,
} from "./import-run.ts";
import {
  deleteItems,
  findImport,
  forgetImport,
  type Import,
  isUnderWay,
  readPart,
  requireNoOther,
  saveProgress,
  saveWish,
  storeImport,
} from "./import-store.ts";
import { kinds } from "./kinds.ts";
import { keys } from "../../redis/keys.ts";
import { removeTweet } from "../actions/delete-tweet.ts";
import { findTweet } from "../tweets/store.ts";

/** Milliseconds; a file is stored long before. */
const laterMilliseconds = 60_000;
/** Parts, or pages of followers, per job before it promises the next one. */
const stepsAtOnce = 20;
const followersAtOnce = 100;
/** Files read at a time; waiting files stay on the disk. */
const inSlot = limitConcurrency({ what: "imports", slots: 1, queueLimit: 8, retryAfter: 10 });

/**
 * Reads a file on the disk and stores what it has. Nothing of it is written before startImport. Throws Invalid, beside `file`, if
 * it cannot be imported, another import has not ended, or the disk is nearly full; TooMany; Unauthenticated if the right
 * ended while it waited. `from`: the network that pays for it.
 */
export async function previewImport(ctx: Ctx, user: UserId, path: string, from?: string) {
  await requireNoOther(ctx, user);
  await pauseDeadline(() =>
    inSlot(() =>
      withSource(path, async (source) => {
        const file = await readExport(ctx, source);
        await requireRoom(ctx, "file");
        await requireRight();
        await storeImport(ctx, { user, from }, file);
      }),
    ),
  );
}

/** What a user wants with each of these. */
const wishes = { start: "running", pause: "paused", resume: "running", undo: "removing" } as const;
export const importSteps = ["start", "pause", "resume", "undo", "discard"] as const;
export type ImportStep = (typeof importSteps)[number];

/** Steps that are possible now; each may be sent twice. */
export function stepsOf({ wish, progress: { done } }: Import): ImportStep[] {
  if (wish === "preview") return ["start", "discard"];
  if (done) return wish === "removing" ? [] : ["undo"];
  return wish === "running" ? ["pause", "undo"] : wish === "paused" ? ["resume", "undo"] : [];
}

/** Does nothing if the step is not possible, or the import was replaced. */
export async function steerImport(
  ctx: Ctx,
  user: UserId,
  { id, step }: { id: string; step: ImportStep },
): Promise<void> {
  const current = await findImport(ctx, user);
  if (current?.id !== id || !stepsOf(current).includes(step)) return;
  if (step === "discard") return await forgetImport(ctx, user);
  // If this process ends before the promise below, the import must not be shown as running for a week.
  const work = async (wait?: number) => ctx.jobs.workOnAccount({ task: "import", user }, wait);
  await promiseRemoval(ctx, async () => work(laterMilliseconds));
  const wanted = { next: wishes[step], right: await presentRight(ctx, user) };
  if (await saveWish(ctx, user, current, wanted)) await promiseRemoval(ctx, async () => work());
}

/**
 * The job promised by steerImport: does some steps, and promises the rest. While another job is at it, only looks again
 * later, as the process of that job may die. May run twice.
 */
export async function continueImport(ctx: Ctx, user: UserId, alive = () => {}): Promise<void> {
  const claim = importClaim(ctx, user);
  if (!(await claim.take()))
    return await ctx.jobs.workOnAccount({ task: "import", user }, claimSeconds * 1000);
  let hasMore: boolean;
  try {
    hasMore = await doSteps(ctx, user, async () => {
      alive();
      await claim.renew();
    });
  } finally {
    await claim.release();
  }
  // The next job needs the claim.
  if (hasMore) await ctx.jobs.workOnAccount({ task: "import", user });
}

/** Resolves to whether there may be more. Pauses an import, or its removal, whose right has ended: its user may go on. */
async function doSteps(ctx: Ctx, user: UserId, alive: Alive["alive"]): Promise<boolean> {
  for (let count = 0; count < stepsAtOnce; count += 1) {
    const current = await findImport(ctx, user);
    if (current === undefined || !isUnderWay(current)) return false;
    // Nothing is imported into an account that is being erased.
    const author = await readUser(ctx, user);
    if (author === undefined) return false;
    if (!mayGoOn(author, current.right))
      return !(await saveWish(ctx, user, current, { next: "paused" }));
    const progress = await continued(ctx, user, { ...current, alive });
    await alive();
    await saveProgress(ctx, user, { id: current.id, progress });
    // Only its own items: another import may have replaced it and is next.
    if (progress.done) await deleteItems(ctx, user, current.id);
  }
  return true;
}

type Current = Import & Alive;

async function continued(ctx: Ctx, user: UserId, current: Current): Promise<ImportProgress> {
  const { wish, parts, progress } = current;
  if (wish === "removing")
    return { ...progress, ...(await removeImported(ctx, user, current)), done: true };
  if (progress.parts < parts) return await importPart(ctx, user, current);
  return { ...progress, ...(await updateFollowers(ctx, user, progress.told)) };
}

async function importPart(ctx: Ctx, user: UserId, current: Current): Promise<ImportProgress> {
  const { id, startedAt, from, progress, alive } = current;
  const items = await readPart(ctx, user, { id, part: progress.parts });
  const tally = new Tally(progress);
  const run: ImportRun = { ctx, payer: { user, from }, id, startedAt, tally, alive };
  for (const kind of importKinds) {
    const rows = items.filter((item) => item.kind === kind);
    if (rows.length > 0) await kinds[kind].import(run, rows as never[]);
  }
  tally.skip("malformed", items.filter(({ kind }) => kind === "malformed").length);
  return { ...tally.progress, parts: progress.parts + 1, items: progress.items + items.length };
}

/**
 * Updates the home timelines of the next followers, after the stamp `told`, from the author's timeline, as a
 * new follow does: one write per follower for all tweets.
 */
async function updateFollowers(ctx: Ctx, user: UserId, told: Stamp) {
  if (told === 0) await rebuildHome(ctx, user);
  const followers = await followersAfter(ctx, user, { after: told, limit: followersAtOnce });
  for (const { id } of followers) await reconcileFollow(ctx, { follower: id, followee: user });
  return { told: followers.at(-1)?.stamp ?? told, done: followers.length < followersAtOnce };
}

/** Claims of one step. */
const claimsAtOnce = 100;
/** Tweets that are deleted at the same time. */
const removedAtOnce = 5;

/**
 * Removes the next tweets and follows that an import has brought, as if the user did; what was there before stays, and
 * so does what the user wrote. Without their claims the same file can bring them again. Looks until it finds none: on
 * another Redis, after a failover, the cursor skips some. May run twice.
 */
async function removeImported(
  ctx: Ctx,
  user: UserId,
  { id, progress }: { id: string; progress: ImportProgress },
): Promise<Partial<ImportProgress>> {
  const key = keys.imported(user);
  const { cursor = "0", removed = 0, isClean: wasClean = true } = progress;
  const [next, pairs] = await ctx.redis.hscan(key, cursor, "COUNT", claimsAtOnce);
  const claims = pairs.flatMap((field, nth) => {
    const [thing = "", by] = nth % 2 === 0 ? (pairs[nth + 1] ?? "").split(":") : [];
    return by === id ? [{ field, thing }] : [];
  });
  let count = 0;
  await forEachOf(claims, removedAtOnce, async ({ field, thing }) => {
    if (await remove(ctx, user, { field, thing })) count += 1;
    await ctx.redis.hdel(key, field);
  });
  const isClean = claims.length === 0 && (cursor === "0" || wasClean);
  return { cursor: next, removed: removed + count, isClean, ended: next === "0" && isClean };
}

/** Whether there was something to remove. */
async function remove(ctx: Ctx, user: UserId, { field, thing }: { field: string; thing: string }) {
  if (field === followClaim(userId(thing))) {
    await unfollow(ctx, { follower: user, followee: userId(thing) });
    return true;
  }
  const tweet = await findTweet(ctx, tweetId(thing));
  if (tweet === undefined || tweet.author !== user) return false;
  await removeTweet(ctx, tweet);
  return true;
}
