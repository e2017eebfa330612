import { z } from "zod";
import { blockKinds } from "../../../domain/blocks.ts";
import { type Form, nonce } from "../../layout/form.ts";

const schema = z.object({
  kind: z.enum(blockKinds),
  text: z.string().max(2000).default(""),
  nonce,
});

/** Blocks a word, a domain or an address. */
export const blockForm = {
  action: "/admin/blocks",
  fields: ["kind", "text"],
  hidden: ["nonce"],
  schema,
} satisfies Form<unknown>;

/** Takes it back. */
export const unblockForm = {
  action: "/admin/blocks/remove",
  hidden: ["kind", "text", "nonce"],
  schema,
} satisfies Form<unknown>;
