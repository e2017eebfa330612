import type { Ctx } from "../../context.ts";
import { recordsAt } from "../../redis/json-records.ts";
import { keys } from "../../redis/keys.ts";
import { NotFound, type Problem } from "../errors.ts";
import { type DraftId, parseDraftId, type TweetId, type UploadId, type UserId } from "../ids.ts";
import type { Picture } from "../pictures/picture.ts";
import { reconcile } from "../promises.ts";
import type { Holder, Right } from "../scope.ts";
import type { NewPoll } from "./poll.ts";
import type { Audience, ReplyRight } from "../users/choices.ts";
import { endedRight, mayGoOn } from "../users/promised.ts";
import { findUser, type User } from "../users/store.ts";

/** What an author types of a tweet to be. */
export interface TweetInput {
  text: string;
  /** Content warning; empty for none. */
  warning?: string | undefined;
  /** Tag of a language; see acceptLanguage. */
  language?: string | undefined;
  /** Whom it is for. A reply gets at most the audience of what it answers. Default: public. */
  audience?: Audience | undefined;
  /** Who may reply. Default: everyone who may see it. */
  repliesFrom?: ReplyRight | undefined;
  /** The tweet that it answers, or a retweet whose original it answers. */
  replyTo?: TweetId | undefined;
  /** The tweet of this site linked in the text; it may not exist. */
  quoteOf?: TweetId | undefined;
  /** Whether its pictures are behind a cover. */
  sensitive?: boolean | undefined;
  poll?: NewPoll | undefined;
}

/** A tweet to be, as its author left it. */
export interface SavedDraft extends TweetInput {
  /** Their files belong to the draft, whether they are noted as uploads or not. */
  pictures: Picture[];
  /** Milliseconds. */
  savedAt: number;
  /** When it is sent, in milliseconds. Undefined: when its author sends it. */
  at?: number | undefined;
  /** Since when it is being sent, in milliseconds. */
  sending?: number | undefined;
  /** The right that promised to send it. Once that has ended, no worker sends it. */
  right?: Right | undefined;
  /** Why it was not sent. */
  problem?: Problem | undefined;
}

export type NamedDraft = SavedDraft & { id: DraftId };

export const draftsOf = recordsAt<SavedDraft, UserId>(keys.savedDrafts);

/** All drafts of a user: those with a time, the next first; then the others, the newest first. */
export async function listDrafts(ctx: Ctx, user: UserId): Promise<NamedDraft[]> {
  const [records, author] = await Promise.all([draftsOf(ctx, user).list(), findUser(ctx, user)]);
  return records
    .map(({ field, value }) => ({ ...withProblem(value, author), id: field as DraftId }))
    .toSorted(
      (one, other) => (one.at ?? Infinity) - (other.at ?? Infinity) || other.savedAt - one.savedAt,
    );
}

/** Throws NotFound, for a draft of another user as well. */
export async function getDraft(ctx: Ctx, user: UserId, raw: string): Promise<NamedDraft> {
  const id = parseDraftId(raw);
  const draft = id && (await draftsOf(ctx, user).find(id));
  if (id === undefined || draft === undefined) throw new NotFound("draft");
  return { ...withProblem(draft.value, await findUser(ctx, user)), id };
}

/** A draft whose right ended before its time says so at once; its time may be chosen again. */
function withProblem(draft: SavedDraft, author: User | undefined): SavedDraft {
  const isHeld = isScheduled(draft) && draft.sending === undefined && !mayGoOn(author, draft.right);
  return isHeld ? { ...draft, problem: "draft.ended" } : draft;
}

/** Whether a draft, as listDrafts and getDraft return it, will be sent at its time. */
export function isScheduled<Draft extends SavedDraft>(
  draft: Draft,
): draft is Draft & { at: number } {
  return draft.at !== undefined && draft.problem === undefined;
}

/** Drafts that these holders scheduled, or were sending, wait for their author. May run twice. */
export async function holdDrafts(ctx: Ctx, user: UserId, isOver: (holder: Holder) => boolean) {
  const drafts = draftsOf(ctx, user);
  const ended = (draft: SavedDraft): SavedDraft | undefined => {
    const right = endedRight(draft.right, isOver);
    return right && { ...draft, right };
  };
  for (const { field, value } of await drafts.list())
    if (ended(value) !== undefined) await drafts.change(field, ended);
}

/** Pictures that drafts of a user have. */
export async function draftedPictures(ctx: Ctx, user: UserId): Promise<Map<UploadId, Picture>> {
  const records = await draftsOf(ctx, user).list();
  return new Map(records.flatMap(({ value }) => value.pictures.map((one) => [one.id, one])));
}

/** When the next draft of a user is sent; undefined if none is. */
export async function nextDue(ctx: Ctx, user: UserId): Promise<number | undefined> {
  const records = await draftsOf(ctx, user).list();
  const next = Math.min(...records.map(({ value }) => value.at ?? Infinity));
  return next === Infinity ? undefined : next;
}

/** Makes the list of the users whose drafts are sent agree with the drafts of one. */
export async function listDue(ctx: Ctx, user: UserId): Promise<void> {
  await reconcile(
    () => nextDue(ctx, user),
    async (at) => {
      if (at === undefined) await ctx.redis.zrem(keys.dueDrafts, user);
      else await ctx.redis.addAnyway(keys.dueDrafts, at, user);
    },
  );
}

/** The promise to send a draft, before it is written. */
export async function promiseDue(ctx: Ctx, user: UserId, at: number): Promise<void> {
  await ctx.redis.zadd(keys.dueDrafts, "LT", at, user);
}
