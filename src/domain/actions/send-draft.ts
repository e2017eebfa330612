import type { Ctx } from "../../context.ts";
import type { JsonRecord } from "../../redis/json-records.ts";
import { keys } from "../../redis/keys.ts";
import { Forbidden, Invalid, NotFound, TooMany, Unauthenticated, type Problem } from "../errors.ts";
import { type DraftId, type TweetId, type UserId, userId } from "../ids.ts";
import { noteShown } from "../pictures/uploads.ts";
import { readingDeadline, recorded } from "../scope.ts";
import { draftsOf, listDue, promiseDue, type SavedDraft } from "../tweets/saved-drafts.ts";
import { requireRight } from "../users/roles.ts";
import { readUser } from "../users/store.ts";
import type { Charge } from "./addressees.ts";
import { postTweet } from "./post-tweet.ts";

/** Users whose drafts are sent by one job. */
const usersAtOnce = 100;
/** Milliseconds after which a sending that was cut off is not repeated: the nonce of its tweet is kept for a day. */
const repeatedFor = 20 * 60 * 60 * 1000;

type Draft = JsonRecord<SavedDraft>;

/**
 * Sends a draft, for its author. First it is marked, with a promise to send it, then posted under its id, then removed:
 * after a crash it is posted again as the same tweet. Throws NotFound; what postTweet throws, and then the draft stays
 * without a time.
 */
export async function sendDraft(
  ctx: Ctx,
  user: UserId,
  id: DraftId,
  charge?: Charge,
): Promise<TweetId> {
  const { before, marked } = await beginSending(ctx, user, id);
  try {
    const tweet = await post(ctx, user, marked, charge);
    await draftsOf(ctx, user).remove(id);
    return tweet;
  } catch (error) {
    const isRepeat = before.sending !== undefined;
    if (error instanceof TooMany) await draftsOf(ctx, user).replace(marked, before);
    else await keepBack(ctx, user, marked, problemOf(error, isRepeat));
    throw error;
  } finally {
    await listDue(ctx, user);
  }
}

/** Promises to send what is due. One small read if nothing is. */
export async function promiseDueDrafts(ctx: Ctx): Promise<void> {
  if ((await ctx.redis.zcount(keys.dueDrafts, 0, ctx.now())) > 0)
    await ctx.jobs.chore("send-drafts", {});
}

/** The chore: sends the drafts whose time has come. A draft that fails does not keep back those of other users. */
export async function sendDueDrafts(ctx: Ctx, alive: () => void = () => {}): Promise<void> {
  const range = ["BYSCORE", "LIMIT", 0, usersAtOnce] as const;
  const due = await ctx.redis.zrange(keys.dueDrafts, 0, String(ctx.now()), ...range);
  const errors: unknown[] = [];
  for (const user of due.map(userId))
    await sendDueOf(ctx, user, alive).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

async function sendDueOf(ctx: Ctx, user: UserId, alive: () => void): Promise<void> {
  const deadline = {
    ...readingDeadline(),
    writes: true,
    requireRight: async () => {
      const author = await readUser(ctx, user);
      if (author === undefined || author.suspended) throw new Unauthenticated("no author");
    },
  };
  const records = await draftsOf(ctx, user).list();
  const due = records
    .filter(({ value }) => value.at !== undefined && value.at <= ctx.now())
    .toSorted((one, other) => (one.value.at ?? 0) - (other.value.at ?? 0));
  for (const { field } of due) {
    await recorded(undefined, () => sendOne(ctx, user, field as DraftId), deadline);
    alive();
  }
  await listDue(ctx, user);
}

/** What a draft lacks is told on its page. */
async function sendOne(ctx: Ctx, user: UserId, id: DraftId): Promise<void> {
  try {
    await sendDraft(ctx, user, id);
  } catch (error) {
    if (!(error instanceof NotFound) && problemOf(error) === undefined) throw error;
  }
}

/** Undefined for what passes: a job, or the author, tries again. An earlier attempt may have posted the tweet. */
function problemOf(error: unknown, isRepeat = false): Problem | undefined {
  const isOver = error instanceof Unauthenticated || error instanceof Forbidden;
  if (!isOver && !(error instanceof Invalid)) return undefined;
  if (isRepeat) return "draft.unsure";
  return isOver ? "draft.suspended" : Object.values(error.problems)[0];
}

/** Marks a draft as being sent; one that was marked before stays as it is. */
async function beginSending(ctx: Ctx, user: UserId, id: DraftId) {
  const drafts = draftsOf(ctx, user);
  const now = ctx.now();
  await promiseDue(ctx, user, now);
  for (;;) {
    const draft = await drafts.find(id);
    if (draft === undefined) throw new NotFound("draft");
    const { value: before } = draft;
    if (before.sending !== undefined) return { before, marked: draft };
    const value = { ...before, at: before.at ?? now, sending: now, problem: undefined };
    if (await drafts.replace(draft, value))
      return { before, marked: { field: id, value, text: JSON.stringify(value) } };
  }
}

async function post(
  ctx: Ctx,
  author: UserId,
  { field, value }: Draft,
  charge: Charge | undefined,
): Promise<TweetId> {
  const { pictures, sending = 0, savedAt } = value;
  if (ctx.now() - sending > repeatedFor) throw new Invalid({ form: "draft.unsure" });
  await requireRight();
  await noteShown(ctx, author, pictures);
  return await postTweet(ctx, author, {
    ...value,
    nonce: `draft-${field}-${savedAt}`,
    pictures: pictures.map(({ id }) => id),
    charge,
  });
}

/** A draft that was not sent waits for its author. Without a problem it stays marked, and is tried again. */
async function keepBack(ctx: Ctx, user: UserId, draft: Draft, problem: Problem | undefined) {
  if (problem === undefined) return;
  const keptDraft = { ...draft.value, at: undefined, sending: undefined, problem };
  await draftsOf(ctx, user).replace(draft, keptDraft);
}
