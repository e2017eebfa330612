/** What may be wrong with what somebody typed. web/languages has the words for each. */
export type Problem =
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
  | "reply.gone"
  | "reply.blocked"
  | "field.missing"
  | "field.malformed"
  | "form.stale"
  | "follow.self"
  | "account.suspended"
  | "account.admin"
  | "comment.long"
  | "name.unknown"
  | "report.self"
  | "report.reason"
  | "report.many"
  | "mute.self"
  | "block.self"
  | "word.empty"
  | "word.long"
  | "word.many";

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
