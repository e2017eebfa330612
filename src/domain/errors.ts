/** What may be wrong with what somebody typed. web/languages has the words for each. */
export type Problem = PlainProblem | Wait;

/** It was too often; so many seconds until it may be done again. */
export type Wait = `wait.${number}`;

export type PlainProblem =
  | "name.format"
  | "name.reserved"
  | "name.taken"
  | "fullname.empty"
  | "fullname.long"
  | "bio.long"
  | "website.long"
  | "website.format"
  | "avatar.missing"
  | "avatar.large"
  | "avatar.format"
  | "avatar.pixels"
  | "avatar.broken"
  | "avatar.upload"
  | "agreement.missing"
  | "password.short"
  | "password.long"
  | "password.common"
  | "password.name"
  | "password.nul"
  | "password.wrong"
  | "credentials.wrong"
  | "confirmation.wrong"
  | "file.missing"
  | "file.malformed"
  | "file.large"
  | "import.foreign"
  | "import.version"
  | "import.large"
  | "text.empty"
  | "text.long"
  | "status.private"
  | "status.media"
  | "status.poll"
  | "status.scheduled"
  | "reply.gone"
  | "reply.blocked"
  | "field.missing"
  | "field.malformed"
  | "form.stale"
  | "follow.self"
  | "follow.many"
  | "account.suspended"
  | "account.admin"
  | "comment.long"
  | "name.unknown"
  | "report.self"
  | "report.reason"
  | "report.many"
  | "mute.self"
  | "mute.duration"
  | "block.self"
  | "word.empty"
  | "word.long"
  | "word.many"
  | "app.empty"
  | "app.long"
  | "app.large"
  | "redirect.missing"
  | "redirect.many"
  | "redirect.format"
  | "scopes.unknown";

/** A problem for each refused field; the field "form" stands for the form as a whole. */
export type Problems = Readonly<Record<string, Problem>>;

/** The base of everything the domain refuses on purpose; anything else is a defect. */
export abstract class DomainError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** There is no such thing, or the asker may not know that there is. */
export class NotFound extends DomainError {}

/** They are suspended: nobody is to see anything of theirs. */
export class Suspended extends NotFound {}

/** It exists and the asker may not do that with it. */
export class Forbidden extends DomainError {}

/** One of the two has blocked the other. */
export class Blocked extends Forbidden {}

/** Nobody is signed in, and somebody would have to be. */
export class Unauthenticated extends DomainError {}

/** The token that was shown lets nobody in (any more). */
export class InvalidToken extends DomainError {}

/** The token lets its app in, but not for this. */
export class OutOfScope extends Forbidden {}

/** OAuth's own names for what is wrong with a request for a token (RFC 6749, 5.2; RFC 7009, 2.2.1). */
export type GrantProblem =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "unauthorized_client"
  | "unsupported_grant_type";

/** No token for this. */
export class GrantRefused extends DomainError {
  readonly problem: GrantProblem;

  constructor(problem: GrantProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** Input that cannot be accepted; nothing was written. */
export class Invalid extends DomainError {
  readonly problems: Problems;

  constructor(problems: Problems) {
    super(
      Object.entries(problems)
        .map((pair) => pair.join(": "))
        .join(", "),
    );
    this.problems = problems;
  }
}

/** Somebody else got there first. Shown like Invalid, beside the field. */
export class Conflict extends Invalid {}

/** Asked too often; `retryAfter` in seconds. */
export class TooMany extends DomainError {
  readonly retryAfter: number;

  constructor(what: string, retryAfter: number) {
    super(what);
    this.retryAfter = retryAfter;
  }
}

/** Suzume cannot do this just now (its Redis is away or full); nothing is known to be written. */
export class Unavailable extends DomainError {}
