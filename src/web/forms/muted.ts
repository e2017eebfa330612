import { z } from "zod";
import type { Form } from "./form.ts";

/** Durations for which a word is muted: form value and days. */
export const mutedFor = [
  { value: "1", days: 1 },
  { value: "7", days: 7 },
  { value: "30", days: 30 },
  { value: "ever", days: undefined },
] as const;

export const muteWordForm = {
  action: "/settings/muted",
  fields: ["word", "duration"],
  secrets: [],
  hidden: [],
  schema: z
    .object({ word: z.string(), duration: z.enum(mutedFor.map(({ value }) => value)) })
    .transform(({ word, duration }) => ({
      word,
      days: mutedFor.find(({ value }) => value === duration)?.days,
    })),
} satisfies Form<unknown>;

export const unmuteWordForm = {
  action: "/settings/muted/remove",
  fields: [],
  secrets: [],
  hidden: ["word"],
  schema: z.object({ word: z.string() }),
} satisfies Form<unknown>;
