import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Act } from "../../domain/limits.ts";
import { block, unblock } from "../../domain/actions/block.ts";
import { mute, unmute } from "../../domain/actions/mute.ts";
import { getAnyUserByName, getUserByName, type User } from "../../domain/users/store.ts";
import { buttonForm } from "../forms/accounts.ts";
import { readForm } from "../forms/form.ts";
import { limitAct } from "../middleware/limits.ts";
import { requireViewer } from "../middleware/session.ts";

interface Verb {
  /** Act that is counted; absent for verbs that take something back. */
  act?: Act;
  /** Suspended users can only be unmuted or unblocked. */
  find: (ctx: Ctx, name: string) => Promise<User>;
  run: (ctx: Ctx, me: UserId, other: UserId) => Promise<void>;
}

/** Mutes and blocks, and how to undo them. */
const verbs: Record<string, Verb> = {
  mute: {
    act: "blocks",
    find: getUserByName,
    run: (ctx, muter, muted) => mute(ctx, { muter, muted }),
  },
  unmute: {
    find: getAnyUserByName,
    run: (ctx, muter, muted) => unmute(ctx, { muter, muted }),
  },
  block: {
    act: "blocks",
    find: getUserByName,
    run: (ctx, blocker, blocked) => block(ctx, { blocker, blocked }),
  },
  unblock: {
    find: getAnyUserByName,
    run: (ctx, blocker, blocked) => unblock(ctx, { blocker, blocked }),
  },
};

export function relationPages(ctx: Ctx): Router {
  const router = Router();
  for (const [name, { act, find, run }] of Object.entries(verbs))
    router.post(`/@:name/${name}`, limitAct(ctx, act), async (req: Request, res: Response) => {
      const me = requireViewer(res);
      const other = await find(ctx, String(req.params["name"]));
      await run(ctx, me.id, other.id);
      res.redirect(303, readForm(buttonForm, req.body).next ?? `/@${other.name}`);
    });
  return router;
}
