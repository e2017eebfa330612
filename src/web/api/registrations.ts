import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { issueSignUpToken } from "../../domain/apps/issue-token.ts";
import { findApp } from "../../domain/apps/store.ts";
import { Invalid, InvalidToken } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { prepareHome } from "../../domain/timelines/home.ts";
import { signUp } from "../../domain/users/sign-up.ts";
import { addressOf } from "../middleware/address.ts";
import { limitSignUps } from "../middleware/limits.ts";
import { requireApp } from "./bearer.ts";
import { type Endpoint, endpoint, needsApp, one } from "./endpoint.ts";
import { anything, flag, text } from "./input.ts";
import { tokenEntity } from "./oauth.ts";
import { renamed } from "./rename-fields.ts";

const registration = z.object({
  username: text,
  password: text,
  email: anything("Not kept."),
  agreement: flag.describe("Has to be true."),
  locale: anything("Not kept."),
});
const names = { name: "username", fullname: "username" };

/** Signing up through an app. */
export const registrationEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "post",
    path: "/api/v1/accounts",
    summary: "Sign up, through an app",
    access: needsApp("write:accounts"),
    body: registration,
    answer: one("Token"),
    async handle({ ctx, req, res, body }) {
      const app = await findApp(ctx, requireApp(res).app);
      if (app === undefined) throw new InvalidToken("app");
      const user = await limitSignUps(ctx)(req, res, () =>
        renamed(names, () => newcomer(ctx, body, addressOf(req))),
      );
      await prepareHome(ctx, user, "new");
      res.json(tokenEntity(await issueSignUpToken(ctx, app, { user, generation: "" })));
    },
  }),
];

/** The full name of a new user is their name. */
async function newcomer(
  ctx: Ctx,
  { username = "", password = "", agreement }: z.output<typeof registration>,
  from: string,
): Promise<UserId> {
  if (agreement !== true) throw new Invalid({ agreement: "agreement.missing" });
  return await signUp(ctx, { name: username, fullname: username, password }, from);
}
