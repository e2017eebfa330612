import type { Ctx } from "../../context.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { formDigest } from "../secrets.ts";
import { parseUserId, type UserId } from "../ids.ts";
import type { Page, Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { parseStoredSubject, personSubject, serializeSubject, type Subject } from "./subject.ts";

/** Part of a profile that can be cleared by itself; the verb is named after it. */
export type ProfilePart = "picture" | "header" | "fullname" | "bio";

/** Decisions about a report. */
export type CaseVerb = "dismiss" | "remove" | "suspend" | ProfilePart;

/**
 * "look": a reported tweet that not everyone may see was shown. "reset": a link to set a new password was made;
 * "resetFactors": which also removes passkeys and authenticator app.
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
 * Appends an entry to the audit log before it is carried out: what is not in the log did not happen. A repeat,
 * with the same `nonce` of a form and all else, is listed once, unless something else was done to the same subject in between.
 */
export async function recordEntry(
  ctx: Ctx,
  { by, nonce, note, verb, subject }: Decision & AuditEntry,
): Promise<void> {
  const spelled = serializeSubject(subject);
  const details = ["by", by ?? "", "verb", verb, "note", note];
  const form = formDigest(nonce, details).toString("base64url");
  await ctx.redis.recordEntry(
    keys.auditLog,
    form,
    spelled,
    mostOf("auditLog"),
    entriesCompared,
    ...details,
  );
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
  const start =
    before === undefined ? "+" : `(${Math.floor(before / 1000)}-${Math.floor(before % 1000)}`;
  const entries = await ctx.redis.xrevrange(keys.auditLog, start, "-", "COUNT", limit + 1);
  const items = entries.slice(0, limit).map(([place, values]) => toEntry(place, values));
  return { items, older: entries.length > limit ? items.at(-1)?.stamp : undefined };
}

function toEntry(place: string, values: string[]): AuditEntry & { stamp: Stamp } {
  const [milliseconds, nth] = place.split("-").map(Number);
  const field = (name: string) => {
    const at = values.indexOf(name);
    return at % 2 === 0 ? (values[at + 1] ?? "") : "";
  };
  return {
    by: parseUserId(field("by")),
    verb: field("verb") as Verb,
    subject: parseStoredSubject(field("subject")),
    note: field("note"),
    stamp: (milliseconds ?? 0) * 1000 + (nth ?? 0),
  };
}
