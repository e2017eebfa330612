import { z } from "zod";
import { Invalid, type Problem } from "../../domain/errors.ts";

/**
 * Untrusted input of the API, from JSON, a form or a query alike, to typed input: "a[]" are lists and
 * "a[b]" are fields of "a", as apps spell them in forms. Throws Invalid, with a problem for each field.
 */
export function readInput<Schema extends z.ZodType>(schema: Schema, raw: unknown) {
  const parsed = schema.safeParse(unfold(raw), { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => [issue.path.join(".") || "form", problemOf(issue)] as const,
  );
  throw new Invalid(Object.fromEntries(problems));
}

function problemOf(issue: z.core.$ZodIssue): Problem {
  if (issue.code === "custom" && issue.params?.["problem"] !== undefined)
    return issue.params["problem"] as Problem;
  const isMissing = issue.code === "invalid_type" && issue.input === undefined;
  return isMissing ? "field.missing" : "field.malformed";
}

/** Yes or no. Forms and queries spell it "true", "1", "on" … or "false", "0", "off" …; empty means missing. */
export const flag = z.preprocess((value) => {
  if (value === "" || value === null) return undefined;
  if (typeof value !== "string" && typeof value !== "number") return value;
  const word = String(value).toLowerCase();
  if (/^(1|t|true|on|yes)$/.test(word)) return true;
  return /^(0|f|false|off|no)$/.test(word) ? false : value;
}, z.boolean().optional());

/** A whole number of at least 0; empty means missing. */
export const count = z.preprocess((value) => {
  if (value === "" || value === null) return undefined;
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}, z.number().int().min(0).optional());

const spelledOrMissing = (value: unknown) => (value === null ? undefined : spelled(value));

/** A text, which may have been sent as a number; null means missing. */
export const text = z.preprocess(spelledOrMissing, z.string().optional());

/** A text that is required. */
export const needed = z.preprocess(spelledOrMissing, z.string());

/**
 * A wish for what Suzume does not have: refused with `problem`, as dropping it would do something else than what was
 * asked for. Nothing and `values`, which are so anyway, pass.
 */
export function only(problem: Problem, ...values: readonly (string | boolean | RegExp)[]) {
  return z
    .unknown()
    .optional()
    .refine((value) => isNothing(value) || values.some((one) => isSpelled(one, value)), {
      params: { problem },
    })
    .describe(
      values.length === 0 ? "Refused." : `Only ${values.join(" or ")}: others are refused.`,
    );
}

/** Missing, as apps spell it. */
export function isNothing(value: unknown): boolean {
  return (value ?? "") === "" || (Array.isArray(value) && value.length === 0);
}

function isSpelled(one: string | boolean | RegExp, value: unknown): boolean {
  if (one instanceof RegExp) return typeof value === "string" && one.test(value);
  return typeof one === "boolean" ? flag.safeParse(value).data === one : one === value;
}

/** Retweets have no audience of their own, and quotes are links. */
export const openVisibility = only("status.private", "public", "unlisted");
export const openQuotes = only("feature.quotes", "public");

/** A value of any type, which has no effect; `what` is for the documentation. */
export function anything(what: string) {
  return z.unknown().optional().describe(what);
}

/** All digits: some libraries send ids as numbers, and those of this site are large. */
function spelled(value: unknown): unknown {
  if (typeof value !== "number") return value;
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}

/** A list of texts; a single text is a list of one, and missing is an empty list. */
export const texts = z.preprocess((value) => {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(spelled);
}, z.array(z.string()).max(1000));

type Nested = { [field: string]: unknown };

/** "poll[options][]" is as deep as anything goes. */
const deepest = 3;

/** Objects without a prototype, so that no name in them means anything but itself. */
function unfold(raw: unknown): unknown {
  if (raw === undefined || raw === null) return nothing();
  if (typeof raw !== "object" || Array.isArray(raw)) return raw;
  const unfolded = nothing();
  for (const [name, value] of Object.entries(raw)) put(unfolded, pathOf(name), value);
  return unfolded;
}

function nothing(): Nested {
  return Object.create(null) as Nested;
}

/** "poll[options][]" → poll, options, "". What is not spelled so is one name. */
function pathOf(name: string): string[] {
  const [, first = "", rest = ""] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  if (first === "") return [name];
  const path = [first, ...rest.slice(1, -1).split("][")];
  return path.length > deepest ? [name] : path;
}

function put(into: Nested, [name = "", ...rest]: string[], value: unknown): void {
  const [next] = rest;
  if (next === undefined) into[name] = value;
  else if (next === "" && rest.length === 1) into[name] = listed(into[name], value);
  else {
    const nested = into[name];
    const inner = isNested(nested) ? nested : nothing();
    into[name] = inner;
    put(inner, rest, value);
  }
}

function listed(known: unknown, value: unknown): unknown[] {
  return [...(Array.isArray(known) ? known : []), ...(Array.isArray(value) ? value : [value])];
}

function isNested(value: unknown): value is Nested {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
}

/**
 * A list of objects as forms spell it: "…[0][keyword]" is an object by number, "…[][keyword]" again and again one
 * object of lists, of which the first 100 entries count.
 */
export function toObjects(value: unknown): unknown {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) || typeof value !== "object") return value;
  // More objects are refused, more fields mean nothing: each field is repeated up to 100 times.
  const objects = Object.values(value).slice(0, 101);
  return objects.flatMap((one: unknown) => {
    if (typeof one !== "object" || one === null) return one;
    const fields = Object.entries(one as Record<string, unknown>).slice(0, 20);
    const length = Math.max(1, ...fields.map(([, all]) => (Array.isArray(all) ? all.length : 1)));
    return Array.from({ length: Math.min(length, 100) }, (_, nth) =>
      Object.fromEntries(
        fields.map(([name, all]) => [name, Array.isArray(all) ? (all as unknown[])[nth] : all]),
      ),
    );
  });
}
