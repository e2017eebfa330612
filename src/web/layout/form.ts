import { randomUUID } from "node:crypto";
import { z } from "zod";
import {
  Invalid,
  type TooMany,
  type Problem,
  type Problems,
  type Wait,
} from "../../domain/errors.ts";
import { parseStamp, type Stamp } from "../../domain/ids.ts";
import type { Translator } from "../languages/translator.ts";
import type { Request } from "express";

/** A form of ours: its fields and how its input is parsed. */
export interface Form<Input> {
  action: string;
  /** Shown again as typed if the form is refused. */
  fields?: readonly string[];
  /** Never shown again. */
  secrets?: readonly string[];
  /** Sent as hidden fields. */
  hidden?: readonly string[];
  schema: z.ZodType<Input>;
}

type Shape = Record<string, z.ZodType>;
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- a form without fields of this kind
type NoFields = Record<never, z.ZodType>;

/** A form by its fields, of each kind of `Form`, with how the input of each is parsed. */
export function formOf<
  Fields extends Shape = NoFields,
  Secrets extends Shape = NoFields,
  Hidden extends Shape = NoFields,
>(action: string, parts: { fields?: Fields; secrets?: Secrets; hidden?: Hidden } = {}) {
  const { fields, secrets, hidden } = parts;
  return {
    action,
    fields: Object.keys(fields ?? {}),
    secrets: Object.keys(secrets ?? {}),
    hidden: Object.keys(hidden ?? {}),
    schema: z.object({ ...fields, ...secrets, ...hidden } as Fields & Secrets & Hidden),
  } satisfies Form<unknown>;
}

/** A text that may be missing. */
export const anyText = z.string().default("");

/** A file, which request/uploads.ts reads. */
export const anyFile = z.unknown().optional();

/** A checkbox: without a tick there is no field. */
export const tick = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

/** Hidden field of a form that makes a thing: sent again as it was, the form makes no second one. See formDigest. */
export const nonce = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .optional();

/** Checkboxes of one name: each sends a value if it has a tick; without a tick there is no field. */
export function several<Schema extends z.ZodType>(value: Schema) {
  return z.preprocess(
    (sent) => (sent === undefined || Array.isArray(sent) ? sent : [sent]),
    z.array(value).default([]),
  );
}

/** Parses untrusted input. Throws Invalid, with a problem for each refused field. */
export function readForm<Input>(form: Form<Input>, body: unknown): Input {
  const parsed = form.schema.safeParse(body ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  const pairs = parsed.error.issues.map((issue): [string, Problem] => {
    const field = String(issue.path[0] ?? "form");
    return [form.hidden?.includes(field) === true ? "form" : field, problemOf(issue)];
  });
  throw new Invalid(Object.fromEntries(pairs));
}

function problemOf(issue: z.core.$ZodIssue): Problem {
  if (issue.code === "invalid_type" && issue.input === undefined) return "field.missing";
  return issue.path[0] === "nonce" ? "form.stale" : "field.malformed";
}

/** The form filled with `values` (anything but a string counts as empty), with its problems and, if it has one, a nonce. */
export function showForm(
  words: Translator,
  { action, fields = [], secrets = [], hidden = [] }: Form<unknown>,
  values: unknown = {},
  problems: Problems = {},
) {
  const typed = textsOf(values);
  if (hidden.includes("nonce")) typed["nonce"] ??= randomUUID();
  const error = (field: string) => {
    const problem = problems[field];
    return problem === undefined ? undefined : sentenceFor(words, problem);
  };
  const field = (name: string, value: string) => [name, { value, error: error(name) }] as const;
  return {
    action,
    fields: Object.fromEntries([
      ...fields.map((name) => field(name, typed[name] ?? "")),
      ...secrets.map((name) => field(name, "")),
    ]),
    error: error("form"),
    hidden: hidden.flatMap((name) => {
      const value = typed[name];
      return value === undefined ? [] : { name, value };
    }),
  };
}

/** String properties of an untrusted body. */
export function textsOf(body: unknown): Record<string, string | undefined> {
  if (typeof body !== "object" || body === null) return {};
  const texts = Object.entries(body).filter((pair) => typeof pair[1] === "string");
  return Object.fromEntries(texts);
}

export function waitOf({ retryAfter, firstDay }: TooMany): Wait {
  return firstDay ? `wait.${retryAfter}.firstDay` : `wait.${retryAfter}`;
}

/** Sentence for a problem, shown beside its field. */
export function sentenceFor(words: Translator, problem: Problem): string {
  if (!isWait(problem)) return words.t(`problem.${problem}`);
  const [, seconds, isFirstDay] = problem.split(".");
  const sentence = waitFor(words, Number(seconds));
  return isFirstDay === undefined ? sentence : words.t("wait.firstDay", { wait: sentence });
}

function isWait(problem: Problem): problem is Wait {
  return problem.startsWith("wait.");
}

/** Uses the largest unit that gives at least two, rounded up. */
function waitFor(words: Translator, seconds: number): string {
  if (seconds < 120) return words.t("wait.seconds", { count: seconds });
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return words.t("wait.minutes", { count: minutes });
  return words.t("wait.hours", { count: Math.ceil(minutes / 60) });
}

/** A cursor of a query: a stamp. Anything else is undefined, which means the start of the list. */
export function readCursor(raw: unknown): Stamp | undefined {
  return typeof raw === "string" ? parseStamp(raw) : undefined;
}

// Any origin works: it only shows whether a reference leaves it.
const here = "http://here.invalid";

/**
 * A path of this site to redirect to, or "/" for anything that could lead elsewhere: other origins,
 * `//host`, `/\host`, `https:host`, control characters.
 */
export function safePath(raw: string | undefined): string {
  // oxlint-disable-next-line no-control-regex -- browsers drop some control characters, and then…
  if (raw === undefined || !/^\/(?![/\\])[^\\\u0000-\u0020\u007F]*$/.test(raw)) return "/";
  if (!URL.canParse(raw, here)) return "/";
  const url = new URL(raw, here);
  const path = url.pathname + url.search + url.hash;
  // A path such as "/.//host" becomes "//host" once its dots are resolved.
  return url.origin === here && !path.startsWith("//") ? path : "/";
}

/** A page of signing in or up that leads on to `next`. */
export function withNext(path: string, next: string): string {
  return next === "/" ? path : `${path}?next=${encodeURIComponent(next)}`;
}

/** Page on which a button was pressed, if its form tells: `next`. */
export function nextOf(req: Request): string | undefined {
  const { next } = textsOf(req.body);
  return next === undefined ? undefined : safePath(next);
}

/** Page to return to: `next` of the form, or the page of this site that led here, or `fallback`. */
export function returnPath(req: Request, fallback: string): string {
  return nextOf(req) ?? refererOf(req) ?? fallback;
}

/** Path of the Referer, if it is a page of this site. */
export function refererOf(req: Request): string | undefined {
  const referer = req.get("referer");
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const { host, pathname, search } = new URL(referer);
  return host === req.get("host") ? safePath(pathname + search) : undefined;
}

/** The hidden field `next` of a form: a path of this site to redirect to. */
export const nextPath = z.string().optional().catch(undefined).transform(safePath);
