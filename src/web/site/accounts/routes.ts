import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import type { Problems } from "../../../domain/problems.ts";
import {
  accountsPage,
  findAccounts,
  giveRole,
  listStaff,
} from "../../../domain/moderation/accounts.ts";
import { getAnyUserByName } from "../../../domain/users/store.ts";
import { readForm, textsOf } from "../../layout/form.ts";
import { roleForm } from "./form.ts";
import { confirmation } from "../../request/confirmation.ts";
import { leadBack } from "../../request/admin-area.ts";
import { requireReader } from "../../request/language.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { presentAccount, presentAccounts, presentFoundAccounts } from "./view.ts";

const path = roleForm.action;

/** All accounts, and the page of each with its role; guardAdminArea refuses other users. */
export function peoplePages(ctx: Ctx, secret: string): Router {
  const router = Router();

  router.get(path, async (req, res) => {
    const reader = requireReader(res);
    const { q = "", after } = textsOf(req.query);
    const typed = q.trim();
    if (typed === "") {
      const page = await accountsPage(ctx, reader.before);
      const staff = reader.before === undefined ? await listStaff(ctx) : [];
      res.render("admin/people", presentAccounts(ctx, reader, { page, staff }));
    } else {
      const found = await findAccounts(ctx, typed, after);
      res.render("admin/people", presentFoundAccounts(ctx, reader, { ...found, typed, after }));
    }
  });

  formPage(
    router,
    `${path}/:name`,
    (req, res, problems) => showAccount(ctx, req, res, problems),
    confirmation(ctx, secret).first(),
    async (req, res) => {
      const user = await getAnyUserByName(ctx, String(req.params["name"]));
      const { role, ...rest } = readForm(roleForm, req.body);
      const decision = { by: requireViewer(res).id, ...rest };
      await giveRole(ctx, decision, user, role === "member" ? "" : role);
      leadBack(res, `${path}/${user.name}`, "role");
    },
  );

  return router;
}

async function showAccount(
  ctx: Ctx,
  req: Request,
  res: Response,
  problems: Problems,
): Promise<void> {
  const user = await getAnyUserByName(ctx, String(req.params["name"]));
  const view = presentAccount(ctx, requireReader(res), user, { typed: req.body, problems });
  res.render("admin/person", view);
}
