import type { Ctx } from "../../context.ts";
import { Blocked, Invalid, NotFound, type Problem } from "../errors.ts";
import { getSeen } from "../feeds/sight.ts";
import { peopleAtMost } from "../messages/people.ts";
import { followedAmong, followersAmong } from "../graph/follows.ts";
import { isBlocked } from "../graph/relations.ts";
import type { TweetId, UserId } from "../ids.ts";
import { strangerPoints } from "../limits.ts";
import { effectiveAudience, isMessage, isOpen } from "../tweets/audience.ts";
import { findTweet } from "../tweets/store.ts";
import { mentionsIn } from "../tweets/text.ts";
import { mentionsOrAnswers, type Tweet, type TweetRef } from "../tweets/tweet.ts";
import { findUser, findUsers, foldName, type MentionedUser } from "../users/store.ts";

/** The tweet that is answered, and the widest audience of an answer to it. */
export async function findAnswered(ctx: Ctx, replier: UserId, id: TweetId | undefined) {
  if (id === undefined) return undefined;
  try {
    const { tweet, author } = await getSeen(ctx, replier, id);
    if (!(await mayReply(ctx, replier, tweet))) throw new Invalid({ form: "reply.limited" });
    return { tweet, audience: effectiveAudience(tweet, author) };
  } catch (error) {
    if (error instanceof NotFound) throw new Invalid({ form: "reply.gone" });
    throw error instanceof Blocked ? new Invalid({ form: "reply.blocked" }) : error;
  }
}

/** Why a user cannot answer a tweet now. */
export async function answerProblem(
  ctx: Ctx,
  replier: UserId,
  id: TweetId | undefined,
): Promise<Problem | undefined> {
  try {
    await findAnswered(ctx, replier, id);
    return undefined;
  } catch (error) {
    if (error instanceof Invalid) return error.problems["form"];
    throw error;
  }
}

/** Whether a user who sees the tweet may answer it. */
export async function mayReply(ctx: Ctx, replier: UserId, tweet: Tweet): Promise<boolean> {
  const { author, repliesFrom = "everyone" } = tweet;
  if (repliesFrom === "everyone" || author === replier) return true;
  if (mentionsOrAnswers(tweet, replier)) return true;
  return repliesFrom === "followed" && (await followedAmong(ctx, author, [replier])).has(replier);
}

/** The people of a message: those who are named, and those of the message that it answers. */
export async function peopleOf(
  ctx: Ctx,
  author: UserId,
  { people, answered }: { people: readonly UserId[]; answered: Tweet | undefined },
): Promise<MentionedUser[]> {
  const before = answered && isMessage(answered) ? (answered.mentions ?? []) : [];
  const ids = [...people, ...before.map(({ id }) => id)];
  if (answered !== undefined) ids.push(answered.author);
  const users = await findUsers(ctx, ids);
  users.delete(author);
  if (users.size >= peopleAtMost) throw new Invalid({ text: "message.people" });
  return [...users.values()].map(({ id, name }) => ({ id, name: foldName(name) }));
}

/** The tweet that a link quotes. If there is a block, or not everyone may see it, the link stays a plain link. */
export async function findQuoted(
  ctx: Ctx,
  author: UserId,
  id: TweetId | undefined,
): Promise<TweetRef | undefined> {
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
