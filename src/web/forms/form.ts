import type { z } from "zod";
import { Invalid, type Problem, type Problems } from "../../domain/errors.ts";
import type { Translator } from "../languages/translator.ts";
import { sentenceFor } from "./problems.ts";

/** A form of ours: its fields and how its input is parsed. */
export interface Form<Input> {
  action: string;
  /** Shown again as typed if the form is refused. */
  fields: readonly string[];
  /** Never shown again. */
  secrets: readonly string[];
  /** Sent as hidden fields. */
  hidden: readonly string[];
  schema: z.ZodType<Input>;
}

/** What a template needs to show a form. */
export interface FormView {
  action: string;
  fields: Record<string, { value: string; error: string | undefined }>;
  error: string | undefined;
  hidden: { name: string; value: string }[];
}

/** Parses untrusted input. Throws Invalid, with a problem for each refused field. */
export function readForm<Input>(form: Form<Input>, body: unknown): Input {
  const parsed = form.schema.safeParse(body ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  const pairs = parsed.error.issues.map((issue): [string, Problem] => {
    const field = String(issue.path[0] ?? "form");
    return [form.hidden.includes(field) ? "form" : field, problemOf(issue)];
  });
  throw new Invalid(Object.fromEntries(pairs));
}

function problemOf(issue: z.core.$ZodIssue): Problem {
  if (issue.code === "invalid_type" && issue.input === undefined) return "field.missing";
  return issue.path[0] === "nonce" ? "form.stale" : "field.malformed";
}

/** The form filled with `values` (anything but a string counts as empty), with its problems. */
export function showForm(
  words: Translator,
  form: Form<unknown>,
  values: unknown = {},
  problems: Problems = {},
): FormView {
  const typed = textsOf(values);
  const error = (field: string) => {
    const problem = problems[field];
    return problem === undefined ? undefined : sentenceFor(words, problem);
  };
  const visible = [...form.fields, ...form.secrets];
  return {
    action: form.action,
    fields: Object.fromEntries(
      visible.map((name) => [
        name,
        { value: form.fields.includes(name) ? (typed[name] ?? "") : "", error: error(name) },
      ]),
    ),
    error: error("form"),
    hidden: form.hidden
      .filter((name) => typed[name] !== undefined)
      .map((name) => ({ name, value: typed[name] ?? "" })),
  };
}

/** String properties of an untrusted body. */
export function textsOf(body: unknown): Record<string, string | undefined> {
  if (typeof body !== "object" || body === null) return {};
  const texts = Object.entries(body).filter((pair) => typeof pair[1] === "string");
  return Object.fromEntries(texts);
}
