import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { refuseBlocked } from "../blocks.ts";
import { newStamp, withFreeIds } from "../counters.ts";
import { Invalid, Unavailable } from "../errors.ts";
import { type TweetId, tweetId, type UploadId, type UserId } from "../ids.ts";
import type { Picture } from "../pictures/picture.ts";
import { readyPictures } from "../pictures/uploads.ts";
import { withoutRight } from "../scope.ts";
import { formDigest } from "../secrets.ts";
import { acceptPoll, openPoll } from "../tweets/poll.ts";
import type { TweetInput } from "../tweets/saved-drafts.ts";
import { commitTweet, draftSeconds, draftTweet } from "../tweets/store.ts";
import { acceptLanguage, checkWarned, mentionsIn, shortenMentions } from "../tweets/text.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { requireRight, requireRightOr } from "../users/roles.ts";
import { findMentioned, readUser } from "../users/store.ts";
import { type Charge, findAnswered, findQuoted, mentionCost, reachOf } from "./addressees.ts";
import { claimPictures } from "./attach-pictures.ts";
import { removeTweet } from "./delete-tweet.ts";
import { listTweet } from "./deliver-tweet.ts";
import { limitsBelow } from "./who-may-reply.ts";

interface NewTweet extends TweetInput {
  /** Identifies a form: submitting it again as it was posts no second tweet. */
  nonce?: string | undefined;
  /** Uploads of the author, at most picturesAtMost. */
  pictures?: readonly UploadId[] | undefined;
  /** Of a message: its people, whomever its text mentions. Default: those who are mentioned. */
  people?: readonly UserId[] | undefined;
  /** Counts the users whom it mentions or answers, before anything is written. Default: they cost nothing. */
  charge?: Charge | undefined;
}

/**
 * Posts a tweet: drafts it, promises its delivery and commits it. The job repeats all that follows, so a crash
 * at any point leaves either a whole tweet or none. A right may end between the check and the commit. No script can
 * check and commit in one step, as account and tweet are in two slots. So it is checked again, and the tweet removed.
 *
 * - Unavailable: the draft lapsed. Unauthenticated, Forbidden: the right ended meanwhile.
 * - Invalid: beside its field; beside the form if the answered tweet is gone or there is a block.
 * - What `charge` throws.
 */
export async function postTweet(ctx: Ctx, author: UserId, input: NewTweet): Promise<TweetId> {
  const { pictures: uploads = [] } = input;
  const { text, warning } = await acceptWords(ctx, input, { mayBeEmpty: uploads.length > 0 });
  const language = acceptLanguage(input.language);
  const newPoll = input.poll && (await acceptPoll(ctx, input.poll, uploads.length));
  const [user, pictures, answer, quoteOf, mentioned] = await Promise.all([
    readUser(ctx, author),
    uploads.length === 0 ? [] : readyPictures(ctx, author, uploads),
    findAnswered(ctx, author, input.replyTo),
    findQuoted(ctx, author, input.quoteOf),
    findMentioned(ctx, mentionsIn(text)),
  ]);
  const answered = answer?.tweet;
  const replyTo = answered && { tweet: answered.id, author: answered.author };
  const limitsOf = answered && limitsBelow(answered);
  const { audience, mentions } = await reachOf(ctx, author, { ...input, text, mentioned }, answer);
  await input.charge?.(await mentionCost(ctx, { author, text, mentions }, { answered }));
  const generation = user?.generation ?? "";
  const formKey = formKeyOf({ ...input, text, warning }, pictures);
  const nonceKey = formKey === "" ? undefined : keys.nonce(author, formKey);
  const { tweet, drafted } = await withFreeIds(ctx, { what: "tweets" }, async (first) => {
    const idAndStamp = await reserveId(ctx, nonceKey, tweetId(first));
    const sensitive = pictures.length > 0 && input.sensitive;
    const { repliesFrom } = input;
    const reach = { audience, repliesFrom, limitsOf, replyTo, quoteOf, mentions };
    const poll = newPoll && openPoll(newPoll, idAndStamp.createdAt);
    const words = { text, warning, language, poll, ...reach };
    const written: Tweet = { ...idAndStamp, author, ...words, pictures, sensitive };
    const state = await draftTweet(ctx, written, { claim: formKey, generation });
    if (state !== "taken") return { tweet: written, drafted: state };
    await releaseId(ctx, nonceKey, idAndStamp);
    return undefined;
  });
  const { id } = tweet;
  // Submitting a form again does not restore a deleted tweet.
  if (drafted === "tombstone") return id;
  await requireRight();
  if (drafted === "draft" && pictures.length > 0)
    await claimPictures(ctx, author, { tweet: id, pictures });
  await ctx.jobs.deliverTweet(id);
  if ((await commitTweet(ctx, { id, author, claim: formKey })) === "expired") {
    await releaseId(ctx, nonceKey, tweet);
    throw new Unavailable("a draft that has lapsed");
  }
  await requireRightOr(async () => {
    // The form, or the draft, can be sent again by a new right.
    await releaseId(ctx, nonceKey, tweet);
    await removeTweet(ctx, tweet);
  });
  // It is posted, and its delivery promised: the rest follows.
  await withoutRight(() => listTweet(ctx, tweet));
  return id;
}

/** The text and warning of a tweet as they will be stored. Throws Invalid beside the field. */
export async function acceptWords(
  ctx: Ctx,
  input: Pick<NewTweet, "text" | "warning">,
  options: { mayBeEmpty: boolean },
): Promise<Pick<Tweet, "text" | "warning">> {
  const local = { ...input, text: shortenMentions(ctx, input.text) };
  const { text, warning, problems } = checkWarned(local, options);
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  await refuseBlocked(ctx, { text, warning: warning ?? "" });
  return { text, warning };
}

/**
 * Identifies one submit of a form; empty without a form. Includes all that the tweet is: a user who goes back,
 * changes any of it and submits again wants another tweet.
 */
function formKeyOf(input: NewTweet, pictures: readonly Picture[]): string {
  const { text, warning, language, nonce, replyTo, quoteOf, sensitive = false } = input;
  const { audience = "public", repliesFrom = "everyone", people = [] } = input;
  if (nonce === undefined) return "";
  const shown = pictures.map(({ id, description }) => [id, description]);
  const reach = [audience, repliesFrom, ...people, ...(input.poll ? [input.poll] : [])];
  return formDigest(nonce, text, warning, language, replyTo, quoteOf, shown, sensitive, reach)
    .toString("base64url")
    .slice(0, 22);
}

/** The id and stamp of a new tweet. */
type IdAndStamp = Pick<Tweet, "id" | "createdAt">;

/** The new id and stamp; those of the first submit if the form, which `key` identifies, was submitted before. */
async function reserveId(ctx: Ctx, key: string | undefined, id: TweetId): Promise<IdAndStamp> {
  const fresh = { id, createdAt: newStamp(ctx, id) };
  if (key === undefined) return fresh;
  const earlier = await ctx.redis.set(key, serializeId(fresh), "EX", draftSeconds, "NX", "GET");
  if (earlier === null) return fresh;
  const [heldId = "", heldStamp = ""] = earlier.split(":");
  return { id: tweetId(heldId), createdAt: Number(heldStamp) };
}

/** Lets the form post another tweet. */
async function releaseId(ctx: Ctx, key: string | undefined, held: IdAndStamp): Promise<void> {
  if (key !== undefined) await ctx.redis.releaseClaim(key, serializeId(held));
}

function serializeId({ id, createdAt }: IdAndStamp): string {
  return `${id}:${createdAt}`;
}
