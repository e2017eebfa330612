import { z } from "zod";
import type { Form } from "../../layout/form.ts";

/** Marks home as read up to the item with this stamp. */
export const homeReadForm = {
  action: "/home/read",
  hidden: ["upto"],
  schema: z.object({
    upto: z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number),
  }),
} satisfies Form<unknown>;
