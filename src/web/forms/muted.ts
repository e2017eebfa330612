import { z } from "zod";
import type { Form } from "./form.ts";

/** For how long a word is muted: what the form sends, in days, and what it says. */
export const mutedFor = [
  { value: "1", label: "A day", days: 1 },
  { value: "7", label: "7 days", days: 7 },
  { value: "30", label: "30 days", days: 30 },
  { value: "ever", label: "For ever", days: undefined },
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
