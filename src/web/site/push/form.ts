import { z } from "zod";
import { alerts, policies } from "../../../domain/push/subscription.ts";
import type { Form } from "../../layout/form.ts";

/** Without a tick there is no field. */
const several = z
  .preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(z.enum(alerts)).default([]),
  )
  .transform((names) => new Set(names));
const choice = { alerts: several, policy: z.enum(policies).default("all") };
const text = z.string().default("");

/** Turns pushes on for this browser; the site's script fills the hidden fields. */
export const pushForm = {
  action: "/settings/push",
  schema: z.object({ ...choice, endpoint: text, p256dh: text, auth: text }),
} satisfies Form<unknown>;

/** Changes what is pushed to this browser. */
export const pushChoiceForm = {
  action: "/settings/push/choice",
  schema: z.object(choice),
} satisfies Form<unknown>;

/** Ends the subscription with this handle, of a browser or an app. */
export const endPushForm = {
  action: "/settings/push/remove",
  hidden: ["device"],
  schema: z.object({ device: z.string() }),
} satisfies Form<unknown>;
