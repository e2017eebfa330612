import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { UserId } from "../../domain/ids.ts";
import { block, unblock } from "../../domain/timelines/block.ts";
import { mute, unmute } from "../../domain/users/mute.ts";
import { getUserByName } from "../../domain/users/store.ts";
import { buttonForm } from "../forms/accounts.ts";
import { readForm } from "../forms/form.ts";
import { requireViewer } from "../middleware/session.ts";

/** What one person does against another, and takes back. */
const verbs: Record<string, (ctx: Ctx, me: UserId, other: UserId) => Promise<void>> = {
  mute: (ctx, muter, muted) => mute(ctx, { muter, muted }),
  unmute: (ctx, muter, muted) => unmute(ctx, { muter, muted }),
  block: (ctx, blocker, blocked) => block(ctx, { blocker, blocked }),
  unblock: (ctx, blocker, blocked) => unblock(ctx, { blocker, blocked }),
};

export function relationPages(ctx: Ctx): Router {
  const router = Router();
  for (const [name, verb] of Object.entries(verbs))
    router.post(`/@:name/${name}`, async (req: Request, res: Response) => {
      const me = requireViewer(res);
      const other = await getUserByName(ctx, String(req.params["name"]));
      await verb(ctx, me.id, other.id);
      res.redirect(303, readForm(buttonForm, req.body).next ?? `/@${other.name}`);
    });
  return router;
}
