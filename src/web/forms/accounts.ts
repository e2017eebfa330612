import { z } from "zod";
import type { Form } from "./form.ts";
import { nextPath } from "./safe-redirect.ts";

export const signUpForm = {
  action: "/signup",
  fields: ["name", "fullname"],
  secrets: ["password"],
  hidden: ["next"],
  schema: z.object({ name: z.string(), fullname: z.string(), password: z.string(), next: nextPath }),
} satisfies Form<unknown>;

export const logInForm = {
  action: "/login",
  fields: ["name"],
  secrets: ["password"],
  hidden: ["next"],
  schema: z.object({ name: z.string(), password: z.string(), next: nextPath }),
} satisfies Form<unknown>;
