import {
  type GrantProblem,
  GrantRefused,
  Invalid,
  InvalidToken,
  NotFound,
  OutOfScope,
  TooMany,
  Unauthenticated,
  type Problem,
} from "../../domain/errors.ts";
import { sentenceFor as sentenceOf, waitOf } from "./form.ts";
import type { Translator } from "../languages/translator.ts";

/** Error answer for an app. */
export function apiError(words: Translator, error: unknown, status: number) {
  if (error instanceof GrantRefused)
    return { error: error.problem, error_description: grantProblems[error.problem] };
  const sentence = sentenceFor(words, error, status);
  return { error: sentence, ...(error instanceof Invalid && { details: detailsOf(words, error) }) };
}

/** For each refused field the reasons: an error code of the API and a sentence. */
function detailsOf(words: Translator, { problems }: Invalid) {
  return Object.fromEntries(
    Object.entries(problems).map(([field, problem]) => [
      field,
      [{ error: wordFor(problem), description: complaint(words, field, problem) }],
    ]),
  );
}

/** By the last part of a problem's name. */
const codes: Readonly<Record<string, string>> = {
  taken: "ERR_TAKEN",
  reserved: "ERR_RESERVED",
  empty: "ERR_BLANK",
  missing: "ERR_BLANK",
  short: "ERR_TOO_SHORT",
  long: "ERR_TOO_LONG",
};

function wordFor(problem: Problem): string {
  if (problem === "agreement.missing") return "ERR_ACCEPTED";
  return codes[problem.split(".").at(-1) ?? ""] ?? "ERR_INVALID";
}

/** Apps know some of these sentences. */
function sentenceFor(words: Translator, error: unknown, status: number): string {
  if (error instanceof InvalidToken) return "The access token is invalid";
  if (error instanceof Unauthenticated) return "This method requires an authenticated user";
  if (error instanceof OutOfScope) return "This action is outside the authorized scopes";
  if (error instanceof NotFound) return "Record not found";
  if (error instanceof TooMany) return sentenceOf(words, waitOf(error));
  if (error instanceof Invalid) {
    const complaints = Object.entries(error.problems).map((pair) => complaint(words, ...pair));
    return `Validation failed: ${complaints.join(" ")}`;
  }
  return sentences[status] ?? "Something went wrong";
}

const sentences: Readonly<Record<number, string>> = {
  400: "The request could not be understood",
  403: "This action is not allowed",
  413: "The request is too large",
  503: "The site cannot reach its data just now",
};

const general = new Set<Problem>(["field.missing", "field.malformed"]);

/** Names the field: in an answer the sentence is not shown beside it. */
function complaint(words: Translator, field: string, problem: Problem): string {
  if (!general.has(problem)) return sentenceOf(words, problem);
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
