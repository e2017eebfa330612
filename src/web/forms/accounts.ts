import { z } from "zod";
import type { Form } from "./form.ts";
import { safePath } from "./safe-redirect.ts";

const next = z.string().optional().catch(undefined).transform(safePath);

export const signUpForm = {
  action: "/signup",
  fields: ["name", "fullname"],
  secrets: ["password"],
  hidden: ["next"],
  schema: z.object({ name: z.string(), fullname: z.string(), password: z.string(), next }),
} satisfies Form<unknown>;

export const logInForm = {
  action: "/login",
  fields: ["name"],
  secrets: ["password"],
  hidden: ["next"],
  schema: z.object({ name: z.string(), password: z.string(), next }),
} satisfies Form<unknown>;

/** A form with only a button; `next` is the page on which it was pressed, if given. */
export const buttonForm = {
  action: "",
  fields: [],
  secrets: [],
  hidden: ["next"],
  schema: z.object({ next: z.string().transform(safePath).optional().catch(undefined) }),
} satisfies Form<unknown>;
