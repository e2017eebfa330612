import { z } from "zod";
import type { Form } from "../../layout/form.ts";

/** Days of a mute, by the value in the form; undefined: it does not end. */
const daysOf = { "1": 1, "7": 7, "30": 30, ever: undefined };

export const muteDurations = ["1", "7", "30", "ever"] as const;

/** A field with one of these, in days. */
export const duration = z.enum(muteDurations).transform((value) => daysOf[value]);

/** Mutes a user; without a duration that is known, for ever. */
export const muteForm = {
  action: "mute",
  schema: z.object({ duration: duration.catch(undefined) }),
} satisfies Form<unknown>;
