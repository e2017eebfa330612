import { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { blockKinds } from "../../../domain/blocks.ts";
import { addBlock, listBlocks, removeBlock } from "../../../domain/moderation/blocks.ts";
import { type Form, freshNonce, nonce, readForm, showForm, textsOf } from "../../layout/form.ts";
import { leadBack } from "../../request/admin-area.ts";
import { confirmation } from "../../request/confirmation.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { titleOf } from "../moderation/view.ts";

const schema = z.object({
  kind: z.enum(blockKinds),
  text: z.string().max(2000).default(""),
  nonce,
});

/** Blocks a word, a domain or an address. */
const blockForm = {
  action: "/admin/blocks",
  fields: ["kind", "text"],
  hidden: ["nonce"],
  schema,
} satisfies Form<unknown>;

/** Takes it back. */
const unblockForm = {
  action: "/admin/blocks/remove",
  hidden: ["kind", "text", "nonce"],
  schema,
} satisfies Form<unknown>;

/** Words, domains and addresses that the site refuses; guardAdminArea refuses other users. */
export function blockPages(ctx: Ctx, secret: string): Router {
  const router = Router();
  const confirmed = confirmation(ctx, secret).first();
  formPage(
    router,
    blockForm.action,
    async (req, res, problems) => {
      const { words } = res.locals;
      const typed: unknown = req.body ?? freshNonce();
      const blocks = (await listBlocks(ctx)).map(({ kind, text }) => {
        const form = showForm(words, unblockForm, { kind, text, ...freshNonce() });
        return { kind, text, form };
      });
      res.render("admin/blocks", {
        title: titleOf(words, "blocks.title"),
        form: showForm(words, blockForm, typed, problems),
        chosen: textsOf(typed)["kind"] ?? "word",
        kinds: blockKinds,
        groups: blockKinds
          .map((kind) => ({ kind, blocks: blocks.filter((one) => one.kind === kind) }))
          .filter((group) => group.blocks.length > 0),
      });
    },
    confirmed,
    async (req, res) => {
      const change = { by: requireViewer(res).id, ...readForm(blockForm, req.body) };
      await addBlock(ctx, change, req.ip ?? "");
      leadBack(res, blockForm.action, "block");
    },
  );
  router.post(unblockForm.action, confirmed, async (req, res) => {
    await removeBlock(ctx, { by: requireViewer(res).id, ...readForm(unblockForm, req.body) });
    leadBack(res, blockForm.action, "unblock");
  });
  return router;
}
