import type { Ctx } from "../../context.ts";
import type { JsonRecord } from "../../redis/json-records.ts";
import { keys } from "../../redis/keys.ts";
import { Forbidden, Invalid, NotFound, TooMany, Unauthenticated, type Problem } from "../errors.ts";
import { type DraftId, type UserId, userId } from "../ids.ts";
import { noteShown } from "../pictures/uploads.ts";
import { type Deadline, readingDeadline, recorded, type Right, withoutRight } from "../scope.ts";
import { draftsOf, listDue, promiseDue, type SavedDraft } from "../tweets/saved-drafts.ts";
import { findTweet } from "../tweets/store.ts";
import { mayGoOn, presentRight } from "../users/promised.ts";
import { requireRight } from "../users/roles.ts";
import { readUser } from "../users/store.ts";
import type { Charge } from "./addressees.ts";
import { freePictures } from "./attach-pictures.ts";
import { postTweet } from "./post-tweet.ts";

/** Users whose drafts are sent by one job. */
const usersAtOnce = 100;
/** Milliseconds after which a sending that was cut off is not repeated: the nonce of its tweet is kept for a day. */
const repeatedFor = 20 * 60 * 60 * 1000;

type Draft = JsonRecord<SavedDraft>;

/** A draft as it was, and as it is since it was marked. */
interface Marked {
  field: string;
  before: SavedDraft;
  after: SavedDraft;
}

/**
 * Sends a draft, for its author. First it is marked, with a promise to send it by the right of this request, then posted
 * under its id, then removed: after a crash it is posted again as the same tweet. Throws NotFound; what postTweet throws,
 * and then the draft stays without a time.
 */
export async function sendDraft(ctx: Ctx, user: UserId, id: DraftId, charge?: Charge) {
  const right = await presentRight(ctx, user);
  await promiseDue(ctx, user, ctx.now());
  const change = await draftsOf(ctx, user).change(id, (draft) => marked(ctx, draft, right));
  if (change === undefined) throw new NotFound("draft");
  return await sendMarked(ctx, user, { field: id, ...change }, charge);
}

/** A draft as it is while it is being sent; one that was marked before stays as it is. */
function marked(ctx: Ctx, draft: SavedDraft, right: Right | undefined): SavedDraft {
  if (draft.sending !== undefined) return draft;
  const now = ctx.now();
  return { ...draft, at: now, sending: now, right, problem: undefined };
}

async function sendMarked(ctx: Ctx, user: UserId, draft: Marked, charge?: Charge) {
  const { field, before, after } = draft;
  const drafts = draftsOf(ctx, user);
  try {
    const tweet = await post(ctx, user, draft, charge);
    // The tweet of an earlier attempt was deleted, by its author or as a right had ended.
    if ((await findTweet(ctx, tweet)) === undefined) throw new Invalid({ form: "draft.unsure" });
    await withoutRight(() => drafts.remove(field));
    return tweet;
  } catch (error) {
    await withoutRight(async () => {
      if (error instanceof TooMany)
        await drafts.replace({ field, text: JSON.stringify(after) }, before);
      else await keepBack(ctx, user, draft, error);
    });
    throw error;
  } finally {
    await withoutRight(() => listDue(ctx, user));
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
  const records = await draftsOf(ctx, user).list();
  const due = records
    .filter(({ value }) => value.at !== undefined && value.at <= ctx.now())
    .toSorted((one, other) => (one.value.at ?? 0) - (other.value.at ?? 0));
  for (const draft of due) {
    await recorded(undefined, () => sendOne(ctx, user, draft), promisedDeadline(ctx, user, draft));
    alive();
  }
  await listDue(ctx, user);
}

/** The right that promised a draft, as it is at each look. */
function promisedDeadline(ctx: Ctx, user: UserId, { field, value }: Draft): Deadline {
  return {
    ...readingDeadline(),
    writes: true,
    requireRight: async () => {
      const [author, draft] = await Promise.all([
        readUser(ctx, user),
        draftsOf(ctx, user).find(field),
      ]);
      if (author === undefined || author.suspended) throw new Forbidden("no author");
      if (!mayGoOn(author, draft?.value.right ?? value.right))
        throw new Unauthenticated("the right that promised it has ended");
    },
  };
}

/** What a draft lacks is told on its page. One that has changed meanwhile is looked at again in some seconds. */
async function sendOne(ctx: Ctx, user: UserId, draft: Draft): Promise<void> {
  const { field, value: before } = draft;
  const after = marked(ctx, before, before.right);
  if (!(await draftsOf(ctx, user).replace(draft, after))) return;
  try {
    await sendMarked(ctx, user, { field, before, after });
  } catch (error) {
    if (problemOf(error) === undefined) throw error;
  }
}

/** Undefined for what passes: a job, or the author, tries again. An earlier attempt may have posted the tweet. */
function problemOf(error: unknown, isRepeat = false): Problem | undefined {
  const isEnded = error instanceof Unauthenticated;
  if (!isEnded && !(error instanceof Forbidden || error instanceof Invalid)) return undefined;
  if (isRepeat) return "draft.unsure";
  if (error instanceof Invalid) return Object.values(error.problems)[0];
  return isEnded ? "draft.ended" : "draft.suspended";
}

async function post(ctx: Ctx, author: UserId, { field, after }: Marked, charge?: Charge) {
  const { pictures, sending = 0, savedAt } = after;
  if (ctx.now() - sending > repeatedFor) throw new Invalid({ form: "draft.unsure" });
  await requireRight();
  await noteShown(ctx, author, pictures);
  return await postTweet(ctx, author, {
    ...after,
    nonce: `draft-${field}-${savedAt}`,
    pictures: pictures.map(({ id }) => id),
    charge,
  });
}

/** A draft that was not sent waits for its author. Without a problem it stays marked, and is tried again. */
async function keepBack(ctx: Ctx, user: UserId, { field, before, after }: Marked, error: unknown) {
  const problem = problemOf(error, before.sending !== undefined);
  if (problem === undefined) return;
  // A process that ended may have claimed them for its tweet; the next one may be another.
  if (!(error instanceof Invalid)) await freePictures(ctx, user, after.pictures);
  const reset = { at: undefined, sending: undefined, right: undefined, problem };
  // The next attempt posts another tweet, see post: its author knows that there may be one.
  const savedAt = after.savedAt + (error instanceof Invalid && problem === "draft.unsure" ? 1 : 0);
  await draftsOf(ctx, user).change(field, (value) =>
    value.sending === after.sending ? { ...value, ...reset, savedAt } : undefined,
  );
}
