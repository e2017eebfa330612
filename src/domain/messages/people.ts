import type { Ctx } from "../../context.ts";
import { type ConversationId, parseConversationId, type TweetId, type UserId } from "../ids.ts";
import { findTweet } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { Invalid } from "../errors.ts";
import { relationsTo } from "../graph/relations.ts";
import { findMentioned, findUsers, foldName, isName, toName, type User } from "../users/store.ts";

/** Max people of a conversation. */
export const peopleAtMost = 20;

/** The conversation of a message: of its author, those mentioned and the author of what it answers. */
export function conversationOf({
  author,
  replyTo,
  mentions = [],
}: Pick<Tweet, "author" | "replyTo" | "mentions">): ConversationId {
  const people = [author, ...mentions.map(({ id }) => id)];
  return conversationAmong(replyTo === undefined ? people : [...people, replyTo.author]);
}

/** The one conversation of these people. */
export function conversationAmong(people: readonly UserId[]): ConversationId {
  const inOrder = [...new Set(people)].toSorted((one, other) => Number(one) - Number(other));
  return inOrder.join("-") as ConversationId;
}

export function peopleIn(conversation: ConversationId): UserId[] {
  return conversation.split("-") as UserId[];
}

export function conversationPath(conversation: ConversationId): string {
  return `/messages/${conversation}`;
}

/** The page with a message that was written, which is not at home. */
export async function pathOfMessage(ctx: Ctx, id: TweetId): Promise<string> {
  const message = await findTweet(ctx, id);
  return message === undefined ? "/messages" : conversationPath(conversationOf(message));
}

/** Parses untrusted text: undefined unless it is a conversation of this user. */
export function parseConversation(raw: string, user: UserId): ConversationId | undefined {
  const id = parseConversationId(raw);
  const people = id === undefined ? [] : peopleIn(id);
  return people.includes(user) && conversationAmong(people) === id ? id : undefined;
}

/** The conversation with the users whose names are typed: "@ann @bob". Throws Invalid beside `to`. */
export async function conversationWith(ctx: Ctx, viewer: User, typed: string) {
  const words = typed.split(/[\s,、，]+/u).map((word) => foldName(toName(word.replace("＠", "@"))));
  const names = [...new Set(words)].filter((name) => name !== "" && name !== foldName(viewer.name));
  if (names.length === 0) throw new Invalid({ to: "field.missing" });
  if (names.length >= peopleAtMost) throw new Invalid({ to: "message.people" });
  const mentioned = await findMentioned(ctx, names.filter(isName));
  const ids = mentioned.map(({ id }) => id);
  const [users, relationTo] = await Promise.all([
    findUsers(ctx, ids),
    relationsTo(ctx, viewer, ids),
  ]);
  const isThere = ids.every((id) => users.get(id)?.suspended === false);
  if (ids.length < names.length || !isThere) throw new Invalid({ to: "message.unknown" });
  if (ids.some((id) => relationTo(id).blocked)) throw new Invalid({ to: "message.blocked" });
  return conversationAmong([viewer.id, ...ids]);
}
