import { z } from "zod";
import { type Stamp, stampToDate } from "../../../domain/ids.ts";
import type { Audience } from "../../../domain/users/choices.ts";

export const id = z.string().regex(/^\d+$/).describe("A number that sorts by time.");
export const moment = z.string().meta({ format: "date-time" });
export const address = z.string().meta({ format: "uri" });
export const count = z.int().min(0);
export const html = z.string().describe("HTML");
export const typed = z.string().describe("As it was typed.");

/** The schema of an entity, with its name in the OpenAPI document. */
export function entity<Fields extends z.core.$ZodShape>(name: string, fields: Fields) {
  return z.strictObject(fields).meta({ id: name });
}

/** As Mastodon formats dates: "2026-11-20T19:48:30.123Z". */
export function formatDate(stamp: Stamp): string {
  return stampToDate(stamp).toISOString();
}

type Constants = Readonly<Record<string, unknown>>;

/**
 * Schemas of fields that are always the same. Entities have all fields that Mastodon 4.5 documents; those that
 * Suzume has nothing for are constants.
 */
export function constants<Fields extends Constants>(
  fields: Fields,
): { [Name in keyof Fields]: z.ZodType<Fields[Name]> } {
  const schemas = Object.entries(fields).map(([name, value]) => [name, constant(value)]);
  return Object.fromEntries(schemas) as { [Name in keyof Fields]: z.ZodType<Fields[Name]> };
}

function constant(value: unknown): z.ZodType {
  if (Array.isArray(value))
    return value.length === 0 ? z.array(z.never()).max(0) : z.array(z.enum(value as string[]));
  if (typeof value === "object" && value !== null)
    return z.strictObject(constants(value as Constants));
  return z.literal(value as string | number | boolean | null);
}

/** Mastodon's name of each audience. */
const names = {
  public: "public",
  unlisted: "unlisted",
  followers: "private",
  mentioned: "direct",
} as const satisfies Record<Audience, string>;

type Visibility = (typeof names)[Audience];

export const Visibility = z.enum(Object.values(names));

/** The visibility that an app asks for; empty means missing. */
export const visibility = z.preprocess(
  (value) => (value === "" || value === null ? undefined : value),
  Visibility.optional(),
);

export function visibilityOf(audience: Audience): Visibility {
  return names[audience];
}

/** Undefined if the app asks for none. */
export function audienceOfName(name: Visibility | undefined): Audience | undefined {
  return (Object.keys(names) as Audience[]).find((audience) => names[audience] === name);
}
