import { z } from "zod";
import { digestOf } from "../../domain/secrets.ts";
import { type Form, readForm } from "./form.ts";

/** Hidden field of a form that shows what is stored: a mark of each value that its page showed. See readChanges. */
export const shownMarks = z.string().optional();

/** The values that a form shows, with their marks. */
export function withMarks<Values extends object>({ fields = [] }: Form<unknown>, values: Values) {
  const entries = new Map(Object.entries(values));
  return { ...values, shownMarks: fields.map((name) => markOf(name, entries.get(name))).join(" ") };
}

/**
 * Parses a form, without the fields that its user left as the page showed them: they may have been changed on another
 * page since. A form without marks has all its fields. Throws Invalid.
 */
export function readChanges<Input extends { shownMarks?: string | undefined }>(
  form: Form<Input>,
  body: unknown,
): Partial<Omit<Input, "shownMarks">> {
  const { shownMarks: sent = "", ...input } = readForm(form, body);
  const marks = new Set(sent.split(" "));
  const changes = Object.entries(input).filter(([name, value]) => !marks.has(markOf(name, value)));
  return Object.fromEntries(changes) as Partial<typeof input>;
}

/** Browsers send the end of a line as CR LF. */
function markOf(name: string, value: unknown): string {
  const plain = typeof value === "string" ? value.replaceAll("\r\n", "\n") : (value ?? "");
  return digestOf(JSON.stringify([name, plain])).slice(0, 12);
}
