import { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { addBlock, listBlocks, removeBlock } from "../../../domain/moderation/blocks.ts";
import { blockForm, unblockForm } from "./form.ts";
import { readForm } from "../../layout/form.ts";
import { confirmation } from "../../request/confirmation.ts";
import { leadBack } from "../../request/admin-area.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { presentBlocks } from "./view.ts";

/** Words, domains and addresses that the site refuses; guardAdminArea refuses other users. */
export function blockPages(ctx: Ctx, secret: string): Router {
  const router = Router();
  const confirmed = confirmation(ctx, secret).first();
  formPage(
    router,
    blockForm.action,
    async (req, res, problems) => {
      const blocks = await listBlocks(ctx);
      res.render("admin/blocks", presentBlocks(res.locals.words, blocks, req.body, problems));
    },
    confirmed,
    async (req, res) => {
      const change = { by: requireViewer(res).id, ...readForm(blockForm, req.body) };
      await addBlock(ctx, change, req.ip ?? "");
      leadBack(res, blockForm.action, "block");
    },
  );
  router.post(unblockForm.action, confirmed, async (req, res) => {
    const change = { by: requireViewer(res).id, ...readForm(unblockForm, req.body) };
    await removeBlock(ctx, change);
    leadBack(res, blockForm.action, "unblock");
  });
  return router;
}
