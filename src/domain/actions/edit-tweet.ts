import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Forbidden, Invalid, required, Unavailable } from "../errors.ts";
import { type TweetId, type UploadId, type UserId, type Stamp, stampAt } from "../ids.ts";
import { noteShown, readyPictures } from "../pictures/uploads.ts";
import { audienceOf, isMessage, narrower } from "../tweets/audience.ts";
import type { TweetInput } from "../tweets/saved-drafts.ts";
import { findTweet } from "../tweets/store.ts";
import { getOwnTweet } from "../feeds/sight.ts";
import { acceptLanguage, mentionsIn } from "../tweets/text.ts";
import { everyPicture, picturesExcept, serializeEdited, type Tweet } from "../tweets/tweet.ts";
import { editsAtMost, historyBytes, serializeVersion } from "../tweets/versions.ts";
import type { Audience, ReplyRight } from "../users/choices.ts";
import { findMentioned } from "../users/store.ts";
import { claimPictures, unclaimPictures } from "./attach-pictures.ts";
import { type Charge, findQuoted, mentionCost } from "./addressees.ts";
import { acceptWords } from "./post-tweet.ts";
import { reconcileEdit, workFor } from "./reconcile-edit.ts";

/** What a tweet is to be from now on. */
interface Edited extends Pick<TweetInput, "text" | "warning" | "language" | "quoteOf"> {
  /** Pictures of the tweet, or uploads of the author, in their order; the others are taken away. */
  pictures: readonly UploadId[];
  /** Whether they are behind a cover. Default: as before. */
  sensitive?: boolean | undefined;
  /** Whom it is for; never more people than before. Default: as before. */
  audience?: Audience | undefined;
  /** Who may reply. Default: as before. */
  repliesFrom?: ReplyRight | undefined;
  /** Stamp of the version that the author has seen: 0 if it was never edited. Default: whatever there is. */
  seen?: Stamp | undefined;
  /** Counts the users whom only the new text mentions, once. Default: they cost nothing. */
  charge?: Charge | undefined;
}

/** Attempts, if other edits come in between. */
const triesAtMost = 5;

/** Milliseconds since 1970 until when a tweet may be edited; 0 for a retweet. */
export function editableUntil({ config }: Ctx, { createdAt, retweetOf }: Tweet): number {
  return retweetOf === undefined ? createdAt / 1000 + config.editMinutes * 60_000 : 0;
}

/** Throws Invalid beside the form, Forbidden. */
export function requireEditable(ctx: Ctx, tweet: Tweet): void {
  if (tweet.retweetOf !== undefined) throw new Forbidden("a retweet has no text");
  if (ctx.config.editMinutes === 0) throw new Invalid({ form: "edit.off" });
  if (ctx.now() >= editableUntil(ctx, tweet)) throw new Invalid({ form: "edit.late" });
}

/** The author's own tweet, if it may be edited now. Throws NotFound, Forbidden; Invalid beside the form. */
async function getEditable(ctx: Ctx, author: UserId, id: TweetId): Promise<Tweet> {
  const tweet = await getOwnTweet(ctx, author, id);
  requireEditable(ctx, tweet);
  return tweet;
}

/**
 * To be called before descriptions are changed: makes the pictures of a tweet, earlier ones too, uploads again, so
 * that an edit may describe, keep and move them like others.
 */
export async function beginEdit(ctx: Ctx, author: UserId, id: TweetId): Promise<Tweet> {
  const tweet = await getEditable(ctx, author, id);
  await noteShown(ctx, author, everyPicture(tweet));
  return tweet;
}

/**
 * Edits the author's own tweet. Its hash is the truth, and keeps the version that it had: one step changes both, so
 * of two edits at once the second builds on the first, or is refused if its author has not `seen` that. What is
 * derived from it follows, at the latest by the promised job. Does nothing if nothing would change. Throws NotFound,
 * Forbidden, Unavailable, what `charge` throws; Invalid beside a field or the form.
 */
export async function editTweet(ctx: Ctx, author: UserId, id: TweetId, input: Edited) {
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    const tweet = await getEditable(ctx, author, id);
    const next = await nextVersion(ctx, tweet, input);
    if (isSame(tweet, next)) return;
    if (input.seen !== undefined && input.seen !== (tweet.editedAt ?? 0))
      throw new Invalid({ form: "edit.seen" });
    if (tries === 0) await input.charge?.(await mentionCost(ctx, next, { before: tweet }));
    await claimPictures(ctx, author, { tweet: id, pictures: next.pictures ?? [] });
    // Both versions: the job may find either of them, or none.
    const work = workFor(tweet, next);
    await ctx.jobs.chore("reconcile-edit", work, "later");
    if (!(await writeVersion(ctx, tweet, next))) continue;
    await ctx.memory.settled();
    return await reconcileEdit(ctx, work);
  }
  throw new Unavailable("a tweet that is edited all the time");
}

async function nextVersion(ctx: Ctx, tweet: Tweet, input: Edited): Promise<Tweet> {
  const { author } = tweet;
  const { repliesFrom = tweet.repliesFrom, sensitive = tweet.sensitive === true } = input;
  const audience = narrowed(tweet, input.audience);
  const mayBeEmpty = input.pictures.length > 0;
  const { text, warning } = await acceptWords(ctx, input, { mayBeEmpty });
  const [pictures, quoteOf, mentions] = await Promise.all([
    readyPictures(ctx, author, input.pictures),
    // A new tweet cannot have a link to itself; an edited one can.
    findQuoted(ctx, author, input.quoteOf === tweet.id ? undefined : input.quoteOf),
    // A message keeps its people.
    isMessage(tweet) ? tweet.mentions : findMentioned(ctx, mentionsIn(text)),
  ]);
  if (tweet.poll !== undefined && pictures.length > 0)
    throw new Invalid({ pictures: "poll.pictures" });
  return {
    ...tweet,
    text,
    warning,
    language: acceptLanguage(input.language, tweet.language),
    quoteOf,
    audience,
    repliesFrom,
    mentions,
    pictures,
    formerPictures: picturesExcept(everyPicture(tweet), pictures),
    sensitive: pictures.length > 0 && sensitive,
    // Above the last one, whatever the clock says.
    editedAt: Math.max(stampAt(ctx.now(), tweet.id), (tweet.editedAt ?? tweet.createdAt) + 1),
  };
}

/** The audience from now on. Throws Invalid for a wider one, and for a message: that has people, and no followers. */
function narrowed(tweet: Tweet, audience = audienceOf(tweet)): Audience {
  const before = audienceOf(tweet);
  if (audience === before) return audience;
  if (isMessage({ audience }) || narrower(before, audience) === before)
    throw new Invalid({ form: "edit.wider" });
  return audience;
}

/** Whether a reader sees the same. */
function isSame(tweet: Tweet, next: Tweet): boolean {
  return seenOf(tweet) === seenOf(next);
}

function seenOf(tweet: Tweet): string {
  const { text, warning, language, pictures = [], sensitive, quoteOf } = tweet;
  const described = pictures.map(({ id, description }) => [id, description]);
  const words = [text, warning, language, described, sensitive === true, quoteOf?.tweet];
  return JSON.stringify([words, audienceOf(tweet), tweet.repliesFrom ?? "everyone"]);
}

/** False if the tweet is not any more what it was. Throws NotFound if it is deleted, Invalid after too many edits. */
async function writeVersion(ctx: Ctx, tweet: Tweet, next: Tweet): Promise<boolean> {
  const result = await ctx.redis.editTweet(
    keys.tweet(tweet.id),
    String(tweet.editedAt ?? ""),
    editsAtMost,
    historyBytes,
    serializeVersion(tweet),
    ...serializeEdited(next),
  );
  if (result === -1) {
    // No other edit that needs them can follow.
    const pictures = picturesExcept(next.pictures ?? [], everyPicture(tweet));
    await unclaimPictures(ctx, tweet.author, { tweet: tweet.id, pictures });
    throw new Invalid({ form: "edit.many" });
  }
  if (result === 1) return true;
  // A command that was sent again finds its own work.
  const stored = required(await findTweet(ctx, tweet.id), "tweet");
  return stored.editedAt === next.editedAt && isSame(stored, next);
}
