import type { Ctx } from "../../context.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import { readTombstones, recallTweetsById } from "../tweets/store.ts";
import { findUsers } from "../users/store.ts";

/** What can be reported and moderated. */
export type Subject = { kind: "tweet"; tweet: TweetId } | { kind: "person"; person: UserId };

export function personSubject(person: UserId): Subject {
  return { kind: "person", person };
}

/** "t7" or "p7", in Redis and in forms. */
export function serializeSubject(subject: Subject): string {
  return subject.kind === "tweet" ? `t${subject.tweet}` : `p${subject.person}`;
}

/** Parses untrusted text; undefined unless it is in exactly this form. */
export function parseSubject(raw: string): Subject | undefined {
  const [, kind, id = ""] = /^([tp])([1-9]\d{0,14})$/.exec(raw) ?? [];
  if (kind === undefined) return undefined;
  return kind === "t"
    ? { kind: "tweet", tweet: tweetId(id) }
    : { kind: "person", person: userId(id) };
}

/** Parses text that Suzume stored. Throws on anything else: that would be a defect. */
export function parseStoredSubject(raw: string): Subject {
  const subject = parseSubject(raw);
  if (subject === undefined) throw new TypeError(`not a subject: ${JSON.stringify(raw)}`);
  return subject;
}

/** Current data of subjects, hidden from others or not. */
export type SubjectFacts = Awaited<ReturnType<typeof readSubjects>>;

/** About some subjects and some other users, in at most three round trips. */
export async function readSubjects(ctx: Ctx, subjects: Subject[], others: Iterable<UserId>) {
  const ids = subjects.flatMap((one) => (one.kind === "tweet" ? [one.tweet] : []));
  const [tweets, tombstone] = await Promise.all([
    recallTweetsById(ctx, ids),
    readTombstones(ctx, ids),
  ]);
  /** The author of each tweet, including deleted tweets. */
  const authors = new Map<TweetId, UserId>();
  for (const tweet of tombstone) if (tweet !== undefined) authors.set(tweet.id, tweet.author);
  const persons = subjects.flatMap((one) => (one.kind === "person" ? [one.person] : []));
  const users = await findUsers(ctx, [...authors.values(), ...persons, ...others]);
  return { tweets, authors, users };
}
