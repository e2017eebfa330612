import type { Ctx } from "../../context.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { inBatches } from "../concurrency-limit.ts";
import { type TweetId, tweetId, type UserId, userId, parseUserId, type Stamp } from "../ids.ts";
import { readTombstones, recallTweetsById } from "../tweets/store.ts";
import { requireRight } from "../users/roles.ts";
import { findUsers } from "../users/store.ts";
import { formDigest } from "../secrets.ts";
import type { Page, Range } from "../page.ts";

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
  return kind === "t" ? { kind: "tweet", tweet: tweetId(id) } : personSubject(userId(id));
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

/** Part of a profile that can be cleared by itself; the verb is named after it. */
export type ProfilePart = "picture" | "header" | "fullname" | "bio";

/** Decisions about a report. */
export type CaseVerb = "dismiss" | "remove" | "suspend" | ProfilePart;

/**
 * "look": a reported tweet that not everyone may see was shown. "reset": a link to set a new password was made;
 * "resetFactors": which also removes passkeys, authenticator app and recovery codes.
 */
type AccountVerb =
  "look" | "reinstate" | "reset" | "resetFactors" | "accept" | "decline" | "uninvite";
/** The role that a user now has. */
type RoleVerb = "member" | "moderator" | "admin";
/** "retry", "drop": jobs that failed were tried again, or deleted. */
type SiteVerb = "site" | "block" | "unblock" | "retry" | "drop";

export type Verb = CaseVerb | AccountVerb | RoleVerb | SiteVerb;

/** A decision of a moderator; the caller has checked that they are one. */
export interface Decision {
  /** Undefined: the operator of the site, from a shell. */
  by: UserId | undefined;
  /** Of the submitted form: submitting it again is the same decision. */
  nonce?: string | undefined;
  /** May be empty. */
  note: string;
}

/** What a moderator did. */
export interface AuditEntry extends Omit<Decision, "nonce"> {
  verb: Verb;
  subject: Subject;
}

/** Newest entries among which a repeat is recognized. */
const entriesCompared = 200;

/**
 * Appends an entry to the audit log before it is carried out: what is not in the log did not happen. Looks first whether
 * the viewer still has the right to decide. A repeat,
 * with the same `nonce` of a form and all else, is listed once, unless something else was done to the same subject in between.
 */
export async function recordEntry(
  ctx: Ctx,
  { by, nonce, note, verb, subject }: Decision & AuditEntry,
): Promise<void> {
  const spelled = serializeSubject(subject);
  const details = ["by", by ?? "", "verb", verb, "note", note];
  const form = formDigest(nonce, details).toString("base64url");
  const bounds = [mostOf("auditLog"), entriesCompared] as const;
  await requireRight();
  await ctx.redis.recordEntry(keys.auditLog, form, spelled, ...bounds, ...details);
  ctx.log.info({ nonce, by, verb, subject: spelled }, "moderation");
}

/** Appends an entry about the site itself, which has its admin as subject. */
export async function recordSiteEntry(ctx: Ctx, entry: Decision & { by: UserId; verb: SiteVerb }) {
  await recordEntry(ctx, { ...entry, subject: personSubject(entry.by) });
}

/** Newest first. A stamp is the stream's own: the server's milliseconds × 1000 + position within the millisecond. */
export async function auditPage(
  ctx: Ctx,
  { before, limit }: Range,
): Promise<Page<AuditEntry & { stamp: Stamp }>> {
  // Nothing is older, and Redis refuses such a range.
  if (before === 0) return { items: [], older: undefined };
  const start =
    before === undefined ? "+" : `(${Math.floor(before / 1000)}-${Math.floor(before % 1000)}`;
  const entries = await ctx.redis.xrevrange(keys.auditLog, start, "-", "COUNT", limit + 1);
  const items = entries.slice(0, limit).map(([place, values]) => toEntry(place, values));
  return { items, older: entries.length > limit ? items.at(-1)?.stamp : undefined };
}

function toEntry(place: string, values: string[]): AuditEntry & { stamp: Stamp } {
  const [milliseconds = 0, nth = 0] = place.split("-").map(Number);
  const fields = new Map(inBatches(values, 2) as Iterable<[string, string]>);
  const field = (name: string) => fields.get(name) ?? "";
  return {
    by: parseUserId(field("by")),
    verb: field("verb") as Verb,
    subject: parseStoredSubject(field("subject")),
    note: field("note"),
    stamp: milliseconds * 1000 + nth,
  };
}
