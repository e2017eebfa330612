import { type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { grantToNewcomer } from "../../domain/apps/sign-up-grant.ts";
import { covers } from "../../domain/apps/scopes.ts";
import { type App, findApp } from "../../domain/apps/store.ts";
import { Forbidden, Invalid, InvalidToken, OutOfScope } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { prepareHome } from "../../domain/timelines/home.ts";
import { signUp } from "../../domain/users/sign-up.ts";
import { addressOf } from "../middleware/address.ts";
import { limitSignUps } from "../middleware/limits.ts";
import { requireApp } from "./bearer.ts";
import { flag, readInput, text } from "./input.ts";
import { tokenEntity } from "./oauth.ts";
import { renamed } from "./rename-fields.ts";

/** Apps send a mail address and a language as well, which Suzume does not want to know. */
const registration = z.object({ username: text, password: text, agreement: flag });
const names = { name: "username", fullname: "username" };

/** Signing up through an app. */
export function registrationsApi(ctx: Ctx): Router {
  const router = Router();
  const counted = limitSignUps(ctx);

  router.post("/api/v1/accounts", async (req, res) => {
    const app = await ownTokenOf(ctx, res);
    const input = readInput(registration, req.body);
    const user = await counted(req, res, () =>
      renamed(names, () => newcomer(ctx, input, addressOf(req))),
    );
    await prepareHome(ctx, user, "new");
    res.json(tokenEntity(await grantToNewcomer(ctx, app, { user, generation: "" })));
  });

  return router;
}

/** An app that acts for nobody. Throws InvalidToken, Forbidden, OutOfScope. */
async function ownTokenOf(ctx: Ctx, res: Response): Promise<App> {
  const { app: client, user, scopes } = requireApp(res);
  if (user !== undefined) throw new Forbidden("somebody's token");
  if (!covers(scopes, "write:accounts")) throw new OutOfScope("write:accounts");
  const app = await findApp(ctx, client);
  if (app === undefined) throw new InvalidToken("app");
  return app;
}

/** Who gives no other name is called by the one that they have. */
async function newcomer(
  ctx: Ctx,
  { username = "", password = "", agreement }: z.output<typeof registration>,
  from: string,
): Promise<UserId> {
  if (agreement !== true) throw new Invalid({ agreement: "agreement.missing" });
  return await signUp(ctx, { name: username, fullname: username, password }, from);
}
