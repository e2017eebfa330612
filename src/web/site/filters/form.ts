import { z } from "zod";
import { filterActions, filterContexts } from "../../../domain/graph/filters.ts";
import type { Form } from "../../layout/form.ts";

/** Durations of mutes: form value and days. */
export const mutedFor = [
  { value: "1", days: 1 },
  { value: "7", days: 7 },
  { value: "30", days: 30 },
  { value: "ever", days: undefined },
] as const;

export const muteDurations = mutedFor.map(({ value }) => value);

/** Mutes a user; without a duration that is known, for ever. */
export const muteForm = {
  action: "mute",
  schema: z
    .object({ duration: z.enum(muteDurations).catch("ever") })
    .transform(({ duration }) => mutedFor.find(({ value }) => value === duration)?.days),
} satisfies Form<unknown>;

export const muteWordForm = {
  action: "/settings/muted",
  fields: ["word", "duration", "action", ...filterContexts],
  schema: z
    .object({
      word: z.string(),
      duration: z.enum(muteDurations),
      action: z.enum(filterActions).default("hide"),
      ...Object.fromEntries(filterContexts.map((context) => [context, z.string().optional()])),
    })
    .transform(({ word, duration, action, ...chosen }) => ({
      word,
      days: mutedFor.find(({ value }) => value === duration)?.days,
      action,
      contexts: filterContexts.filter((context) => context in chosen),
    })),
} satisfies Form<unknown>;

export const unmuteWordForm = {
  action: "/settings/muted/remove",
  hidden: ["filter"],
  schema: z.object({ filter: z.string() }),
} satisfies Form<unknown>;
