import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { type Stamp, stampToDate } from "../../../domain/ids.ts";
import type { User } from "../../../domain/users/store.ts";
import type { Audience } from "../../../domain/users/choices.ts";

/** For whom entities are presented. */
export interface ApiView {
  ctx: Ctx;
  viewer: User | undefined;
  /** Origin of the site, such as "https://example.org". */
  site: string;
}

export const id = z.string().regex(/^\d+$/).describe("A number that sorts by time.");
export const moment = z.string().meta({ format: "date-time" });
export const address = z.string().meta({ format: "uri" });
export const count = z.int().min(0);
export const html = z.string().describe("HTML");
export const typed = z.string().describe("As it was typed.");

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

declare const serialized: unique symbol;

/** JSON of a value. Larger answers contain it as it is, so that an account or a status is serialized once. */
export type Json = string & { readonly [serialized]: true };

export function toJson(value: unknown): Json {
  return JSON.stringify(value) as Json;
}

export function listOf(items: readonly Json[]): Json {
  return `[${items.join(",")}]` as Json;
}

/** The object with these fields as well; undefined ones are left out. */
export function withFields(object: Json, fields: Readonly<Record<string, Json | undefined>>): Json {
  let json: string = object.slice(0, -1);
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) json += `${json === "{" ? "" : ","}"${name}":${value}`;
  return `${json}}` as Json;
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
