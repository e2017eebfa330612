import type { ProfileProblem } from "./profile-fields.ts";

/** Base of all intended refusals of the domain; any other error is a defect. */
export abstract class DomainError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** It does not exist, or the viewer may not know that it does. */
export class NotFound extends DomainError {}

/** A value that must be there. Throws NotFound without it; `what` names it for the log. */
export function required<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new NotFound(what);
  return value;
}

/** The user is suspended: nothing of theirs is shown. */
export class Suspended extends NotFound {}

/** It exists, but the viewer may not do this with it. */
export class Forbidden extends DomainError {}

/** One of two users has blocked the other. */
export class Blocked extends Forbidden {}

/** Only for signed-in users, and this client is not. */
export class Unauthenticated extends DomainError {}

/** The token is not valid (any more). */
export class InvalidToken extends DomainError {}

/** The token is valid, but does not allow this. */
export class OutOfScope extends Forbidden {}

/** OAuth's own error codes for a token request (RFC 6749, 5.2; RFC 7009, 2.2.1). */
export type GrantProblem =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "unauthorized_client"
  | "unsupported_grant_type";

/** No token for this request. */
export class GrantRefused extends DomainError {
  readonly problem: GrantProblem;

  constructor(problem: GrantProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** Input was refused; nothing was written. */
export class Invalid extends DomainError {
  readonly problems: Problems;

  constructor(problems: Problems) {
    const pairs = Object.entries(problems).map((pair) => pair.join(": "));
    super(pairs.join(", "));
    this.problems = problems;
  }
}

/** Throws Invalid if a field has a problem. */
export function refuseIfAny(problems: Readonly<Record<string, Problem | undefined>>): void {
  const present = Object.entries(problems).filter(([, problem]) => problem !== undefined);
  if (present.length > 0) throw new Invalid(Object.fromEntries(present) as Problems);
}

/** Another request was first. Shown like Invalid, beside the field. */
export class Conflict extends Invalid {}

/** Too many requests; `retryAfter` in seconds. */
export class TooMany extends DomainError {
  readonly retryAfter: number;
  /** By a limit that is stricter on an account's first day. */
  readonly firstDay: boolean;

  constructor(what: string, retryAfter: number, firstDay = false) {
    super(what);
    this.retryAfter = retryAfter;
    this.firstDay = firstDay;
  }
}

/** Not possible now (Redis is away or full); as far as known, nothing was written. */
export class Unavailable extends DomainError {}

/** The same for files: Redis may be well, so a form can be shown again. */
export class StorageAway extends Unavailable {}

/** Problems of user input. web/languages has the text for each. */
export type Problem = PlainProblem | Wait;

/** Too often; may be repeated after this many seconds. "firstDay": by a stricter limit of a new account. */
export type Wait = `wait.${number}` | `wait.${number}.firstDay`;

/** A subject, and what is wrong with it: a row for each subject, or for what is wrong with several. */
type PlainProblem =
  | `name.${"format" | "reserved" | "taken" | "blocked" | "unknown"}`
  | ProfileProblem
  | `avatar.${"missing" | "large" | "format" | "pixels" | "broken" | "upload"}`
  | `picture.${"large" | "format" | "pixels" | "broken" | "heic" | "upload" | "many" | "off"}`
  | `picture.${"slow" | "budget" | "quota" | "full" | "away" | "gone" | "used" | "description" | "focus"}`
  | "agreement.missing"
  | `password.${"short" | "long" | "common" | "name" | "nul" | "wrong"}`
  | `${"credentials" | "factor" | "confirmation" | "code"}.wrong`
  | `totp.${"on" | "expired"}`
  | `passkey.${"wrong" | "missing" | "known" | "many" | "name"}`
  | "reset.admin"
  | `address.${"format" | "many" | "blocked"}`
  | `file.${"missing" | "malformed" | "large"}`
  | `import.${"foreign" | "version" | "large" | "damaged" | "unfinished"}`
  | `text.${"empty" | "long" | "blocked"}`
  | "link.blocked"
  | `block.${"word" | "domain" | "address" | "own" | "many" | "self"}`
  | "status.private"
  | `poll.${"ask" | "few" | "many" | "same" | "long" | "time" | "pictures" | "fixed"}`
  | `poll.${"none" | "own" | "over" | "choice" | "voted"}`
  | `profile.${"fields" | "bot" | "public" | "attribution" | "sensitive" | "language"}`
  | `feature.${"translation" | "quotes" | "endorsements" | "notes"}`
  | `feature.${"featuredTags" | "servers" | "quoteLists" | "announcements" | "heldBack"}`
  | `feature.${"suggestions" | "mails" | "annualReports"}`
  | `reply.${"gone" | "blocked" | "limited" | "limitedAbove"}`
  | `${"quote" | "retweet" | "signup"}.closed`
  | `message.${"people" | "nobody" | "unknown" | "blocked" | "gone"}`
  | `draft.${"gone" | "long" | "many" | "queued" | "sending" | "seen" | "unsure" | "suspended" | "ended"}`
  | `time.${"format" | "gap" | "past" | "soon" | "far"}`
  | `${"zone" | "scopes"}.unknown`
  | `edit.${"off" | "late" | "seen" | "many" | "wider" | "gone"}`
  | `field.${"missing" | "malformed"}`
  | `${"stream" | "tag"}.many`
  | `form.${"stale" | "writer"}`
  | `follow.${"self" | "many" | "languages"}`
  | `account.${"waiting" | "refused" | "suspended" | "admin"}`
  | `rules.${"unaccepted" | "long"}`
  | `reason.${"empty" | "long"}`
  | `siteName.${"empty" | "long"}`
  | `${"warning" | "tagline" | "description" | "announcement" | "comment"}.long`
  | `${"language" | "contact"}.format`
  | `accent.${"format" | "pale"}`
  | `invitation.${"needed" | "invalid" | "uses" | "days" | "many"}`
  | `role.${"named" | "last" | "suspended" | "first"}`
  | `report.${"self" | "reason" | "rule" | "many"}`
  | `mute.${"self" | "many" | "notifications"}`
  | "notifications.policy"
  | `word.${"empty" | "long" | "many"}`
  | `push.${"endpoint" | "key"}`
  | `filter.${"title" | "context" | "keywords" | "blur" | "statuses"}`
  | `list.${"empty" | "long" | "many" | "full" | "unfollowed" | "exclusive"}`
  | `app.${"empty" | "long" | "large"}`
  | `redirect.${"missing" | "many" | "format"}`;

/** A problem for each refused field; the field "form" means the whole form. */
export type Problems = Readonly<Record<string, Problem>>;
