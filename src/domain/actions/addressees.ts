import type { Ctx } from "../../context.ts";
import { Blocked, Invalid, NotFound } from "../errors.ts";
import { getSeen } from "../feeds/sight.ts";
import { peopleAtMost } from "../messages/people.ts";
import { followersAmong } from "../graph/follows.ts";
import { isBlocked } from "../graph/relations.ts";
import type { TweetId, UserId } from "../ids.ts";
import { strangerPoints } from "../limits.ts";
import { effectiveAudience, isMessage, isOpen, narrower } from "../tweets/audience.ts";
import { findTweet } from "../tweets/store.ts";
import { mentionsIn } from "../tweets/text.ts";
import { mentionsOrAnswers, type Tweet } from "../tweets/tweet.ts";
import type { Audience } from "../users/choices.ts";
import { findUser, findUsers, foldName, type MentionedUser } from "../users/store.ts";
import { replyRule } from "./who-may-reply.ts";

type Answered = Awaited<ReturnType<typeof findAnswered>>;

/** A tweet that is answered, and the widest audience of an answer to it. Throws Invalid beside the form. */
export async function findAnswered(ctx: Ctx, replier: UserId, id: TweetId | undefined) {
  if (id === undefined) return undefined;
  try {
    const { tweet, author } = await getSeen(ctx, replier, id);
    const { problem } = await replyRule(ctx, replier, tweet);
    if (problem !== undefined) throw new Invalid({ form: problem });
    return { tweet, audience: effectiveAudience(tweet, author) };
  } catch (error) {
    if (error instanceof NotFound) throw new Invalid({ form: "reply.gone" });
    throw error instanceof Blocked ? new Invalid({ form: "reply.blocked" }) : error;
  }
}

/** Why a user cannot answer a tweet now. */
export async function answerProblem(ctx: Ctx, replier: UserId, id: TweetId | undefined) {
  try {
    await findAnswered(ctx, replier, id);
    return undefined;
  } catch (error) {
    if (error instanceof Invalid) return error.problems["form"];
    throw error;
  }
}

/** What its author says of the reach of a tweet, and the users whom its text mentions. */
interface Wish {
  text: string;
  mentioned: readonly MentionedUser[];
  audience?: Audience | undefined;
  people?: readonly UserId[] | undefined;
}

/** The audience of an answer: never more people than see what it answers. */
export function audienceBelow(answer: Answered, wanted: Audience | undefined) {
  return answer ? narrower(wanted ?? "public", answer.audience) : wanted;
}

/** The audience of a new tweet, and whom it mentions; of a message, its people. */
export async function reachOf(ctx: Ctx, author: UserId, wish: Wish, answer: Answered) {
  const audience = audienceBelow(answer, wish.audience);
  if (!isMessage({ audience })) return { audience, mentions: wish.mentioned };
  return { audience, mentions: await peopleOf(ctx, author, wish, answer?.tweet) };
}

/**
 * The people of a message: those who are named, and those of the message that it answers. A message that names nobody
 * is its author's own note; one whose names are nobody's is a mistake. Throws Invalid beside the text.
 */
async function peopleOf(
  ctx: Ctx,
  author: UserId,
  { text, mentioned, people }: Wish,
  answered: Tweet | undefined,
): Promise<MentionedUser[]> {
  const before = answered && isMessage(answered) ? (answered.mentions ?? []) : [];
  const named = people ?? mentioned.map(({ id }) => id);
  const ids = [...named, ...before.map(({ id }) => id)];
  if (answered !== undefined) ids.push(answered.author);
  const users = await findUsers(ctx, ids);
  users.delete(author);
  if (users.size >= peopleAtMost) throw new Invalid({ text: "message.people" });
  const isLost = people === undefined && mentionsIn(text).length > mentioned.length;
  if (users.size === 0 && isLost) throw new Invalid({ text: "message.nobody" });
  return [...users.values()].map(({ id, name }) => ({ id, name: foldName(name) }));
}

/** The tweet that a link quotes. If there is a block, or not everyone may see it, the link stays a plain link. */
export async function findQuoted(ctx: Ctx, author: UserId, id: TweetId | undefined) {
  const tweet = id && (await findTweet(ctx, id));
  if (tweet === undefined) return undefined;
  const original = tweet.retweetOf ? await findTweet(ctx, tweet.retweetOf.tweet) : tweet;
  const writer = original && (await findUser(ctx, original.author));
  if (original === undefined || writer === undefined || !isOpen(original, writer)) return undefined;
  const isApart = await isBlocked(ctx, author, writer.id);
  return isApart ? undefined : { tweet: original.id, author: writer.id };
}

/** Counts mentions. Throws TooMany. */
export type Charge = (mentions: number) => Promise<unknown>;

/**
 * How many mentions a tweet counts for: one for each name and for the author of the `answered` tweet,
 * but strangerPoints for users who do not follow the author. Answering a user who mentioned the author costs one
 * point. Names that an edited tweet had `before` cost nothing.
 */
export async function mentionCost(
  ctx: Ctx,
  { author, text, mentions = [] }: Pick<Tweet, "author" | "text" | "mentions">,
  { answered, before }: { answered?: Tweet | undefined; before?: Tweet } = {},
): Promise<number> {
  const former = new Set(before === undefined ? [] : namesIn(before));
  const names = new Set(namesIn({ text, mentions }).filter((name) => !former.has(name)));
  const notified = new Set(mentions.filter(({ name }) => names.has(name)).map(({ id }) => id));
  const absent = names.size - notified.size;
  if (answered !== undefined) notified.add(answered.author);
  notified.delete(author);
  if (notified.size === 0) return absent;
  const followers = await followersAmong(ctx, author, notified);
  const answers = answered !== undefined && mentionsOrAnswers(answered, author);
  const costs = [...notified].map((id) =>
    followers.has(id) || (answers && id === answered.author) ? 1 : strangerPoints,
  );
  return costs.reduce((sum, cost) => sum + cost, absent);
}

/** All names for whom a tweet is meant, those of absent users included. */
function namesIn({ text, mentions = [] }: Pick<Tweet, "text" | "mentions">): string[] {
  return [...new Set([...mentionsIn(text), ...mentions.map(({ name }) => name)])];
}
