import { z } from "zod";
import { toName } from "../../../domain/users/store.ts";
import { repliesPolicies } from "../../../domain/graph/lists.ts";
import { parseListId } from "../../../domain/ids.ts";
import { type Form, nonce } from "../../layout/form.ts";

/** Makes a list; to change one, the action is its own page. */
export const listForm = {
  action: "/lists",
  fields: ["title", "replies"],
  hidden: ["nonce"],
  schema: z.object({ title: z.string(), replies: z.enum(repliesPolicies).default("list"), nonce }),
} satisfies Form<unknown>;

/** Adds a member by name; the action is the page of the members. */
export const memberForm = {
  action: "/lists",
  fields: ["name"],
  schema: z.object({ name: z.string().transform(toName) }),
} satisfies Form<unknown>;

/** The lists in which a person is to be from now on; without a tick there is no field. */
export const choiceForm = {
  action: "/lists",
  schema: z.object({
    lists: z
      .preprocess(
        (value) => (value === undefined || Array.isArray(value) ? value : [value]),
        z.array(z.string()).default([]),
      )
      .transform((ids) => new Set(ids.flatMap((id) => parseListId(id) ?? []))),
  }),
} satisfies Form<unknown>;
