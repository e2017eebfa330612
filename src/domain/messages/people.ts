import { type ConversationId, parseConversationId, type UserId } from "../ids.ts";
import type { Tweet } from "../tweets/tweet.ts";

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

/** Address of the page of a conversation. */
export function conversationPath(conversation: ConversationId): string {
  return `/messages/${conversation}`;
}

/** Parses untrusted text: undefined unless it is a conversation of this user. */
export function parseConversation(raw: string, user: UserId): ConversationId | undefined {
  const id = parseConversationId(raw);
  const people = id === undefined ? [] : peopleIn(id);
  return people.includes(user) && conversationAmong(people) === id ? id : undefined;
}
