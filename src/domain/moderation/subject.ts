import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";

/** What can be reported and moderated. */
export type Subject = { kind: "tweet"; tweet: TweetId } | { kind: "person"; person: UserId };

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
export function storedSubject(raw: string): Subject {
  const subject = parseSubject(raw);
  if (subject === undefined) throw new TypeError(`not a subject: ${JSON.stringify(raw)}`);
  return subject;
}
