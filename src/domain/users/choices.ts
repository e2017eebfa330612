/** Whom a tweet may be for, the widest first; "mentioned" makes it a message. */
export const audiences = ["public", "unlisted", "followers", "mentioned"] as const;
export type Audience = (typeof audiences)[number];

/** Who may reply to a tweet, the widest first; "followed": those whom its author follows. The mentioned always may. */
export const replyRights = ["everyone", "followed", "mentioned"] as const;
export type ReplyRight = (typeof replyRights)[number];

/** Whose messages a user gets; those of others are requests. */
export const messageSenders = ["everyone", "followed"] as const;
export type MessageSenders = (typeof messageSenders)[number];

/** Reads one of some words; the first of them if it is another. */
export function oneOf<Word extends string>(words: readonly [Word, ...Word[]]) {
  return (stored: string | undefined): Word => words.find((word) => word === stored) ?? words[0];
}
