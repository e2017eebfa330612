import {
  type GrantProblem,
  GrantRefused,
  Invalid,
  InvalidToken,
  NotFound,
  OutOfScope,
  type Problem,
  Unauthenticated,
} from "../../domain/errors.ts";
import { errorPages, messages } from "../present/messages.ts";

/** What an app is told that asked for something that it cannot have. */
export interface ApiError {
  error: string;
  error_description?: string;
  /** For each field that was refused, why, in a word that apps know and in a sentence. */
  details?: Record<string, { error: string; description: string }[]>;
}

/** Doors that answer in JSON, whatever happens. */
export function isForMachines(path: string): boolean {
  return /^\/(api|nodeinfo|\.well-known|oauth\/(token|revoke))(\/|$)/i.test(path);
}

export function apiError(error: unknown, status: number): ApiError {
  if (error instanceof GrantRefused)
    return { error: error.problem, error_description: grantProblems[error.problem] };
  if (error instanceof Invalid)
    return { error: sentenceFor(error, status), details: detailsOf(error) };
  return { error: sentenceFor(error, status) };
}

function detailsOf({ problems }: Invalid): NonNullable<ApiError["details"]> {
  return Object.fromEntries(
    Object.entries(problems).map(([field, problem]) => [
      field,
      [{ error: wordFor(problem), description: complaint([field, problem]) }],
    ]),
  );
}

/** By the last part of a problem's name. */
const words: Readonly<Record<string, string>> = {
  taken: "ERR_TAKEN",
  reserved: "ERR_RESERVED",
  empty: "ERR_BLANK",
  missing: "ERR_BLANK",
  short: "ERR_TOO_SHORT",
  long: "ERR_TOO_LONG",
};

function wordFor(problem: Problem): string {
  if (problem === "agreement.missing") return "ERR_ACCEPTED";
  return words[problem.split(".").at(-1) ?? ""] ?? "ERR_INVALID";
}

/** Apps know some of these sentences. */
function sentenceFor(error: unknown, status: number): string {
  if (error instanceof InvalidToken) return "The access token is invalid";
  if (error instanceof Unauthenticated) return "This method requires an authenticated user";
  if (error instanceof OutOfScope) return "This action is outside the authorized scopes";
  if (error instanceof NotFound) return "Record not found";
  if (error instanceof Invalid)
    return `Validation failed: ${Object.entries(error.problems).map(complaint).join(" ")}`;
  return sentences[status] ?? errorPages[status]?.message ?? "Something went wrong";
}

const sentences: Readonly<Record<number, string>> = {
  403: "This action is not allowed",
  413: "The request is too large",
  429: "Too many requests",
  503: "The site cannot reach its data just now",
};

const general = new Set<Problem>(["field.missing", "field.malformed"]);

/** Whoever reads it does not see beside which field it stands. */
function complaint([field, problem]: [string, Problem]): string {
  if (!general.has(problem)) return messages[problem];
  return `${field} ${problem === "field.missing" ? "is missing." : "could not be understood."}`;
}

const grantProblems: Readonly<Record<GrantProblem, string>> = {
  invalid_request: "A parameter is missing, there twice or malformed.",
  invalid_client: "There is no such app, or its secret is another one.",
  invalid_grant:
    "The code is unknown, used or expired, or was given to another app, for another redirect URI or another code verifier.",
  invalid_scope: "There is no such scope, or the app did not register it.",
  unauthorized_client: "The token belongs to another app.",
  unsupported_grant_type: "The grant types are authorization_code and client_credentials.",
};
