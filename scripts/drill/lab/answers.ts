import type { IncomingHttpHeaders } from "node:http";
import type { Report } from "./report.ts";

/** What came of one request. */
export interface Answer {
  /** Or how it failed: "refused" (no process listens), "reset" (cut off), "silent" (nothing in 10 s). */
  status: number | "refused" | "reset" | "silent";
  location: string;
  /** Or what the client says of its failure. */
  body: string;
  milliseconds: number;
}

export interface Asked {
  method: string;
  path: string;
  /** Who is signed in, as far as their browser knows. */
  viewer: string | undefined;
  /** When they signed in, in milliseconds since 1970: when the form was sent and when it was answered. */
  since: { sent: number; answered: number };
}

/** How long a page may take, whatever is wrong with Redis. */
const longestMilliseconds = 3000;

/** Counts answers, and holds each of them to what is promised. */
export class Answers {
  longest = 0;
  readonly statuses: Record<string, number> = {};
  /** Failures that the fault explains, as "reset" while a web process is killed. */
  readonly tolerated = new Set<Answer["status"]>();
  /** Milliseconds; a drill about something else than time may allow more. */
  limit = longestMilliseconds;
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  note(asked: Asked, answer: Answer, headers: IncomingHttpHeaders): void {
    const { status, milliseconds, body } = answer;
    const key = String(status);
    this.statuses[key] = (this.statuses[key] ?? 0) + 1;
    const what = `${asked.method} ${asked.path} as @${asked.viewer ?? "nobody"}`;
    if (typeof status === "string") {
      const how = `${what}: after ${Math.round(milliseconds)} ms, ${body}`;
      if (!this.tolerated.has(status)) this.#report.problem(`a request was ${status}`, how);
      return;
    }
    this.longest = Math.max(this.longest, milliseconds);
    if (milliseconds > this.limit)
      this.#report.problem(
        `an answer took over ${this.limit} ms`,
        `${what}: ${Math.round(milliseconds)}`,
      );
    if (/\n\s+at .+:\d+:\d+/.test(body)) this.#report.problem("an answer has a stack trace", what);
    if (status === 503) this.#checkOutage(what, answer, headers);
    else if (status >= 500)
      this.#report.problem(`an answer was ${status}`, `${what}: ${excerpt(body)}`);
    if (status === 429 && !this.tolerated.has(429))
      this.#report.problem("a limit was in the way", what);
    if (asked.viewer !== undefined && status < 400) this.#checkViewer(what, asked, answer);
  }

  #checkOutage(what: string, { body }: Answer, headers: IncomingHttpHeaders): void {
    if (headers["retry-after"] === undefined) this.#report.problem("a 503 lacks Retry-After", what);
    if (headers["set-cookie"] !== undefined) this.#report.problem("a 503 sets a cookie", what);
    if (!/Suzume|"error"/.test(body)) this.#report.problem("a 503 is not our page", excerpt(body));
  }

  /** A page for a signed-in user is never that of another user, nor that of a visitor. */
  #checkViewer(what: string, { viewer, since }: Asked, answer: Answer): void {
    const { sent, answered } = since;
    if (isForgotten(answer))
      this.#report.isLost(answered, "a signed-in user is forgotten", what, sent);
    else if (answer.status === 200 && answer.body.includes("<html") && shownIn(answer) !== viewer)
      this.#report.problem("a user is shown as another", what);
  }
}

/** Whether the site takes the user for a visitor. */
export function isForgotten(answer: Answer): boolean {
  if (answer.location.startsWith("/login")) return true;
  return answer.status === 200 && answer.body.includes("<html") && shownIn(answer) === undefined;
}

/** The name of the user for whom the page was made. */
function shownIn({ body }: Answer): string | undefined {
  return /class="account-name">@(\w+)</.exec(body)?.[1];
}

function excerpt(body: string): string {
  return body.replaceAll(/\s+/g, " ").slice(0, 200);
}
