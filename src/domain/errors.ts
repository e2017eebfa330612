/** Problems of user input. web/languages has the text for each. */
export type Problem = PlainProblem | Wait;

/** Too often; may be repeated after this many seconds. "firstDay": by a stricter limit of a new account. */
export type Wait = `wait.${number}` | `wait.${number}.firstDay`;

type PlainProblem =
  | "name.format"
  | "name.reserved"
  | "name.taken"
  | "fullname.empty"
  | "fullname.long"
  | "bio.long"
  | "website.long"
  | "website.format"
  | "warning.long"
  | "avatar.missing"
  | "avatar.large"
  | "avatar.format"
  | "avatar.pixels"
  | "avatar.broken"
  | "avatar.upload"
  | "picture.large"
  | "picture.format"
  | "picture.pixels"
  | "picture.broken"
  | "picture.heic"
  | "picture.upload"
  | "picture.many"
  | "picture.off"
  | "picture.slow"
  | "picture.gone"
  | "picture.used"
  | "picture.description"
  | "agreement.missing"
  | "password.short"
  | "password.long"
  | "password.common"
  | "password.name"
  | "password.nul"
  | "password.wrong"
  | "credentials.wrong"
  | "factor.wrong"
  | "totp.on"
  | "totp.expired"
  | "passkey.wrong"
  | "passkey.missing"
  | "passkey.known"
  | "passkey.many"
  | "passkey.name"
  | "confirmation.wrong"
  | "code.wrong"
  | "reset.admin"
  | "address.format"
  | "address.many"
  | "file.missing"
  | "file.malformed"
  | "file.large"
  | "import.foreign"
  | "import.version"
  | "import.large"
  | "text.empty"
  | "text.long"
  | "text.blocked"
  | "link.blocked"
  | "name.blocked"
  | "address.blocked"
  | "block.word"
  | "block.domain"
  | "block.address"
  | "block.own"
  | "block.many"
  | "status.private"
  | "status.poll"
  | "status.scheduled"
  | "profile.fields"
  | "profile.locked"
  | "profile.bot"
  | "feature.translation"
  | "feature.quotes"
  | "feature.conversations"
  | "feature.requests"
  | "feature.endorsements"
  | "feature.notes"
  | "feature.featuredTags"
  | "feature.servers"
  | "reply.gone"
  | "reply.blocked"
  | "edit.off"
  | "edit.late"
  | "edit.seen"
  | "edit.many"
  | "field.missing"
  | "field.malformed"
  | "stream.many"
  | "form.stale"
  | "follow.self"
  | "follow.many"
  | "account.waiting"
  | "account.refused"
  | "account.suspended"
  | "signup.closed"
  | "rules.unaccepted"
  | "reason.empty"
  | "reason.long"
  | "rules.long"
  | "siteName.empty"
  | "siteName.long"
  | "tagline.long"
  | "description.long"
  | "announcement.long"
  | "contact.format"
  | "accent.format"
  | "accent.pale"
  | "invitation.needed"
  | "invitation.invalid"
  | "invitation.uses"
  | "invitation.days"
  | "invitation.many"
  | "account.admin"
  | "role.named"
  | "role.last"
  | "role.suspended"
  | "role.first"
  | "comment.long"
  | "name.unknown"
  | "report.self"
  | "report.reason"
  | "report.many"
  | "mute.self"
  | "mute.many"
  | "mute.notifications"
  | "notifications.policy"
  | "block.self"
  | "word.empty"
  | "word.long"
  | "word.many"
  | "push.endpoint"
  | "push.key"
  | "list.empty"
  | "list.long"
  | "list.many"
  | "list.full"
  | "list.unfollowed"
  | "list.exclusive"
  | "tag.many"
  | "app.empty"
  | "app.long"
  | "app.large"
  | "redirect.missing"
  | "redirect.many"
  | "redirect.format"
  | "scopes.unknown";

/** A problem for each refused field; the field "form" means the whole form. */
export type Problems = Readonly<Record<string, Problem>>;

/** Base of all intended refusals of the domain; any other error is a defect. */
export abstract class DomainError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** It does not exist, or the viewer may not know that it does. */
export class NotFound extends DomainError {}

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
    super(
      Object.entries(problems)
        .map((pair) => pair.join(": "))
        .join(", "),
    );
    this.problems = problems;
  }
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
