import { z } from "zod";
import type { Audience } from "../../domain/users/choices.ts";

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
