import type { Ctx } from "../../context.ts";
import { mostOf } from "../../redis/keys.ts";
import { Invalid, NotFound, required } from "../errors.ts";
import type { DraftId, UploadId, UserId } from "../ids.ts";
import type { Picture } from "../pictures/picture.ts";
import { noteShown, readyPictures } from "../pictures/uploads.ts";
import { promiseRemoval } from "../promises.ts";
import { formNumber } from "../secrets.ts";
import {
  draftedPictures,
  draftsOf,
  getDraft,
  listDue,
  type NamedDraft,
  promiseDue,
  type SavedDraft,
  type TweetInput,
} from "../tweets/saved-drafts.ts";
import { acceptPoll, cleanChoices } from "../tweets/poll.ts";
import { mentionsIn } from "../tweets/text.ts";
import { picturesExcept } from "../tweets/tweet.ts";
import { cleanText, fitsGraphemes, isBlank } from "../users/display-text.ts";
import { presentRight } from "../users/promised.ts";
import { findMentioned } from "../users/store.ts";
import { audienceBelow, type Charge, findAnswered, mentionCost, reachOf } from "./addressees.ts";
import { discardUpload } from "./attach-pictures.ts";
import { acceptWords } from "./post-tweet.ts";

/** Max drafts of a user without a time, and with one. */
const unscheduledAtMost = 100;
const scheduledAtMost = mostOf("savedDrafts") - unscheduledAtMost;
/** Graphemes of a text or warning: more than a tweet has, as a draft may be shortened later. */
const longest = 2000;
/** Bytes of a draft as JSON: all its texts as long as they can be, in Japanese or Tamil. */
const heaviest = 40_000;
/** Milliseconds ahead. */
const farthest = 366 * 24 * 60 * 60 * 1000;

/** What the author typed. */
interface DraftInput extends TweetInput, Pick<SavedDraft, "at"> {
  pictures?: readonly UploadId[] | undefined;
}

interface SaveOptions {
  /** Identifies the form of a new draft: sent again as it was, it makes no second one. */
  nonce?: string | undefined;
  /** Counts the mentions of a draft that will be sent. */
  charge?: Charge | undefined;
}

/** Keeps a new draft. With a time, all that a tweet must fulfil is checked now. Throws Invalid, TooMany. */
export async function saveDraft(
  ctx: Ctx,
  user: UserId,
  input: DraftInput,
  { nonce, charge }: SaveOptions = {},
): Promise<NamedDraft> {
  const draft = await checkDraft(ctx, user, input, charge);
  const shown = draft.pictures.map((picture) => [picture.id, picture.description]);
  const id = formNumber(nonce, user, Object.entries(input), shown) as DraftId;
  await refuseMore(ctx, user, id, draft);
  if (draft.at !== undefined) await promiseDue(ctx, user, draft.at);
  const added = await draftsOf(ctx, user).add(id, draft, mostOf("savedDrafts"));
  if (added === undefined) throw new Invalid({ form: "draft.many" });
  await written(ctx, user, draft);
  // Sent again, it promises anew what waits since its first right has ended.
  if (draft.at !== undefined && (await getDraft(ctx, user, id)).problem === "draft.ended")
    return await rescheduleDraft(ctx, user, id, draft.at);
  return { ...added.value, id };
}

/** Fields that a change leaves out are gone. */
const cleared = {
  at: undefined,
  right: undefined,
  problem: undefined,
  warning: undefined,
  language: undefined,
  poll: undefined,
};

/**
 * The same for a draft that there is. `seen`: when what the author saw was saved; if the draft has changed since, nothing
 * is written. Throws NotFound; Invalid beside the form then, and while the draft is being sent.
 */
export async function changeDraft(
  ctx: Ctx,
  user: UserId,
  id: DraftId,
  input: DraftInput,
  { seen, charge }: { seen?: number | undefined; charge?: Charge | undefined } = {},
): Promise<NamedDraft> {
  const draft = await checkDraft(ctx, user, input, charge);
  await refuseMore(ctx, user, id, draft);
  const { before } = await replaceDraft(ctx, user, id, { ...cleared, ...draft }, seen);
  await written(ctx, user, draft);
  await releasePictures(ctx, user, picturesExcept(before.pictures, draft.pictures));
  return { ...draft, id };
}

/** Gives a draft that is checked already another time. Throws NotFound, Invalid. */
export async function rescheduleDraft(ctx: Ctx, user: UserId, id: DraftId, at: number) {
  checkTime(ctx, at);
  const right = await presentRight(ctx, user);
  const savedAt = ctx.now();
  const { after } = await replaceDraft(ctx, user, id, { at, right, problem: undefined, savedAt });
  await listDue(ctx, user);
  return { ...after, id };
}

type Change = Partial<SavedDraft>;

async function replaceDraft(ctx: Ctx, user: UserId, id: DraftId, change: Change, seen?: number) {
  if (change.at !== undefined) await promiseDue(ctx, user, change.at);
  const replaced = await draftsOf(ctx, user).change(id, async (draft) => {
    if (draft.sending !== undefined) throw new Invalid({ form: "draft.sending" });
    const next = { ...draft, ...change };
    // The same form sent again changes nothing.
    const isSame = JSON.stringify({ ...next, savedAt: draft.savedAt }) === JSON.stringify(draft);
    if (seen !== undefined && seen !== draft.savedAt && !isSame)
      throw new Invalid({ form: "draft.seen" });
    // As in deleteDraft: a chore deletes those that are taken out, if this ends in the middle.
    await noteShown(ctx, user, picturesExcept(draft.pictures, next.pictures));
    return next;
  });
  return required(replaced, "draft");
}

/** Deletes a draft, with its pictures. Throws NotFound; Invalid while it is being sent. */
export async function deleteDraft(ctx: Ctx, user: UserId, id: DraftId): Promise<void> {
  const removed = await draftsOf(ctx, user).change(id, async ({ sending, pictures }) => {
    if (sending !== undefined) throw new Invalid({ form: "draft.sending" });
    // Noted as uploads again: so a chore deletes them if this ends in the middle.
    await promiseRemoval(ctx, async () => noteShown(ctx, user, pictures));
    return null;
  });
  const { pictures } = required(removed, "draft").before;
  await listDue(ctx, user);
  await releasePictures(ctx, user, pictures);
}

/** Notes pictures of a draft as uploads again, so that a form can keep them. */
export async function notePictures(ctx: Ctx, user: UserId, ids: readonly UploadId[]) {
  if (ids.length === 0) return;
  const drafted = await draftedPictures(ctx, user);
  const pictures = ids.flatMap((id) => drafted.get(id) ?? []);
  await noteShown(ctx, user, pictures);
}

/** Deletes pictures that no draft and no tweet has. */
async function releasePictures(ctx: Ctx, user: UserId, pictures: readonly Picture[]) {
  if (pictures.length === 0) return;
  const drafted = await draftedPictures(ctx, user);
  const free = pictures.filter(({ id }) => !drafted.has(id));
  await promiseRemoval(ctx, async () => noteShown(ctx, user, free));
  for (const { id: upload } of free)
    await discardUpload(ctx, { user, upload }).catch((error: unknown) => {
      // A tweet shows it, or is being written with it: its chore decides.
      if (!(error instanceof Invalid || error instanceof NotFound)) throw error;
    });
}

/** After a draft was written: a chore may have taken its pictures back meanwhile. */
async function written(ctx: Ctx, user: UserId, { pictures }: SavedDraft): Promise<void> {
  await listDue(ctx, user);
  const ids = pictures.map(({ id }) => id);
  await readyPictures(ctx, user, ids);
}

/** What is stored of the input. Throws Invalid beside its fields. */
async function checkDraft(
  ctx: Ctx,
  user: UserId,
  { pictures: uploads = [], at, ...typed }: DraftInput,
  charge: Charge | undefined,
): Promise<SavedDraft> {
  const pictures = await readyPictures(ctx, user, uploads);
  if (at === undefined) {
    // A draft may outlive the tweet that it answers: then it stays for those for whom its answer would have been.
    const answer = await findAnswered(ctx, user, typed.replyTo).catch(ignoreInvalid);
    const audience = audienceBelow(answer, typed.audience);
    return { ...checkLoose(typed, pictures), audience, pictures, savedAt: ctx.now() };
  }
  checkTime(ctx, at);
  const words = await acceptWords(ctx, typed, { mayBeEmpty: pictures.length > 0 });
  const poll = typed.poll && (await acceptPoll(ctx, typed.poll, pictures.length));
  const { text } = words;
  const [answer, mentioned] = await Promise.all([
    findAnswered(ctx, user, typed.replyTo),
    findMentioned(ctx, mentionsIn(text)),
  ]);
  const { mentions } = await reachOf(ctx, user, { ...typed, text, mentioned }, answer);
  const answered = answer?.tweet;
  await charge?.(await mentionCost(ctx, { author: user, text, mentions }, { answered }));
  const audience = audienceBelow(answer, typed.audience);
  const right = await presentRight(ctx, user);
  return { ...typed, ...words, audience, poll, pictures, at, right, savedAt: ctx.now() };
}

function ignoreInvalid(error: unknown): undefined {
  if (!(error instanceof Invalid)) throw error;
}

type Typed = Omit<DraftInput, "pictures" | "at">;

function checkLoose(typed: Typed, pictures: readonly Picture[]): Typed {
  const text = cleanText(typed.text);
  const warning = cleanText(typed.warning ?? "") || undefined;
  if (isBlank(text) && warning === undefined && pictures.length === 0 && !typed.poll)
    throw new Invalid({ text: "text.empty" });
  if (!fitsGraphemes(text, longest)) throw new Invalid({ text: "draft.long" });
  if (!fitsGraphemes(warning ?? "", longest)) throw new Invalid({ warning: "draft.long" });
  const poll = typed.poll && { ...typed.poll, choices: cleanChoices(typed.poll.choices) };
  return { ...typed, text, warning, poll };
}

function checkTime(ctx: Ctx, at: number): void {
  if (at <= ctx.now()) throw new Invalid({ when: "time.past" });
  if (at > ctx.now() + farthest) throw new Invalid({ when: "time.far" });
}

/** Throws Invalid for a draft that weighs too much, or would be one too many. */
async function refuseMore(ctx: Ctx, user: UserId, id: DraftId, draft: SavedDraft): Promise<void> {
  if (Buffer.byteLength(JSON.stringify(draft)) > heaviest)
    throw new Invalid({ form: "draft.long" });
  const isTimed = draft.at !== undefined;
  const records = await draftsOf(ctx, user).list();
  const alike = records.filter(
    ({ field, value }) => field !== id && (value.at !== undefined) === isTimed,
  );
  if (alike.length >= (isTimed ? scheduledAtMost : unscheduledAtMost))
    throw new Invalid({ form: isTimed ? "draft.queued" : "draft.many" });
}
