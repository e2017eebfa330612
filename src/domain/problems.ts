import type { ProfileProblem } from "./profile-fields.ts";

/** Problems of user input. web/languages has the text for each. */
export type Problem = PlainProblem | Wait;

/** Too often; may be repeated after this many seconds. "firstDay": by a stricter limit of a new account. */
export type Wait = `wait.${number}` | `wait.${number}.firstDay`;

/** A subject, and what is wrong with it: a row for each subject, or several. */
type PlainProblem =
  | `name.${"format" | "reserved" | "taken" | "blocked" | "unknown"}`
  | ProfileProblem
  | "warning.long"
  | "language.format"
  | `avatar.${"missing" | "large" | "format" | "pixels" | "broken" | "upload"}`
  | `picture.${"large" | "format" | "pixels" | "broken" | "heic" | "upload" | "many" | "off"}`
  | `picture.${"slow" | "budget" | "quota" | "full" | "away" | "gone" | "used" | "description" | "focus"}`
  | "agreement.missing"
  | `password.${"short" | "long" | "common" | "name" | "nul" | "wrong"}`
  | "credentials.wrong"
  | "factor.wrong"
  | `totp.${"on" | "expired"}`
  | `passkey.${"wrong" | "missing" | "known" | "many" | "name"}`
  | "confirmation.wrong"
  | "code.wrong"
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
  | `reply.${"gone" | "blocked" | "limited"}`
  | "retweet.closed"
  | "message.people"
  | `draft.${"gone" | "long" | "many" | "queued" | "sending" | "unsure" | "suspended"}`
  | `time.${"format" | "gap" | "past" | "soon" | "far"}`
  | "zone.unknown"
  | `edit.${"off" | "late" | "seen" | "many" | "wider"}`
  | `field.${"missing" | "malformed"}`
  | "stream.many"
  | "form.stale"
  | `follow.${"self" | "many" | "languages"}`
  | `account.${"waiting" | "refused" | "suspended" | "admin"}`
  | "signup.closed"
  | `rules.${"unaccepted" | "long"}`
  | `reason.${"empty" | "long"}`
  | `siteName.${"empty" | "long"}`
  | "tagline.long"
  | "description.long"
  | "announcement.long"
  | "contact.format"
  | `accent.${"format" | "pale"}`
  | `invitation.${"needed" | "invalid" | "uses" | "days" | "many"}`
  | `role.${"named" | "last" | "suspended" | "first"}`
  | "comment.long"
  | `report.${"self" | "reason" | "rule" | "many"}`
  | `message.${"unknown" | "blocked"}`
  | `mute.${"self" | "many" | "notifications"}`
  | "notifications.policy"
  | `word.${"empty" | "long" | "many"}`
  | `push.${"endpoint" | "key"}`
  | `filter.${"title" | "context" | "keywords" | "blur" | "statuses"}`
  | `list.${"empty" | "long" | "many" | "full" | "unfollowed" | "exclusive"}`
  | "tag.many"
  | `app.${"empty" | "long" | "large"}`
  | `redirect.${"missing" | "many" | "format"}`
  | "scopes.unknown";

/** A problem for each refused field; the field "form" means the whole form. */
export type Problems = Readonly<Record<string, Problem>>;
