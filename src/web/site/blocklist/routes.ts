import type { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { blockKinds } from "../../../domain/blocks.ts";
import { addBlock, listBlocks, removeBlock } from "../../../domain/moderation/blocks.ts";
import { formOf, nonce, readForm, showForm, textsOf } from "../../layout/form.ts";
import { leadBack } from "../../request/admin-area.ts";
import { confirmation } from "../../request/confirmation.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/reader.ts";
import { titleOf } from "../moderation/view.ts";

const block = { kind: z.enum(blockKinds), text: z.string().max(2000).default("") };

/** Blocks a word, a domain or an address. */
const blockForm = formOf("/admin/blocks", { fields: block, hidden: { nonce } });

/** Takes it back. */
const unblockForm = formOf("/admin/blocks/remove", { hidden: { ...block, nonce } });

/** Words, domains and addresses that the site refuses; guardAdminArea refuses other users. */
export function blockPages(router: Router, ctx: Ctx, secret: string): void {
  const confirmed = confirmation(ctx, secret).first();
  formPage(router, blockForm.action, {
    async show(req, res, problems) {
      const { words } = res.locals;
      const blocks = (await listBlocks(ctx)).map(({ kind, text }) => {
        return { kind, text, form: showForm(words, unblockForm, { kind, text }) };
      });
      res.render("admin/blocks", {
        title: titleOf(words, "blocks.title"),
        form: showForm(words, blockForm, req.body, problems),
        chosen: textsOf(req.body)["kind"] ?? "word",
        kinds: blockKinds,
        groups: blockKinds
          .map((kind) => ({ kind, blocks: blocks.filter((one) => one.kind === kind) }))
          .filter((group) => group.blocks.length > 0),
      });
    },
    checks: [confirmed],
    async submit(req, res) {
      const change = { by: requireViewer(res).id, ...readForm(blockForm, req.body) };
      await addBlock(ctx, change, req.ip ?? "");
      leadBack(res, blockForm.action, "block");
    },
  });
  router.post(unblockForm.action, confirmed, async (req, res) => {
    await removeBlock(ctx, { by: requireViewer(res).id, ...readForm(unblockForm, req.body) });
    leadBack(res, blockForm.action, "unblock");
  });
}
