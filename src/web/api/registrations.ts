import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { refuseSignUpFrom } from "../../domain/blocks.ts";
import { issueSignUpToken } from "../../domain/apps/issue-token.ts";
import { join } from "../../domain/community/join.ts";
import { Forbidden, Invalid } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { prepareHome } from "../../domain/timelines/home.ts";
import { addressOf } from "../middleware/address.ts";
import { limitSignUps } from "../middleware/sign-up-limits.ts";
import { requireApp } from "./bearer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { anything, flag, text, withApiNames } from "./input.ts";
import { Token, tokenEntity } from "./oauth.ts";

const registration = z.object({
  username: text,
  password: text,
  email: anything("Not kept."),
  agreement: flag.describe("Required to be true."),
  locale: anything("Not kept."),
});
const names = { name: "username", fullname: "username" };

/** Signing up through an app. */
export const registrationEndpoints: readonly Endpoint[] = [
  endpoint("POST /api/v1/accounts", "Sign up, through an app", {
    access: { scopes: ["write:accounts"], by: "app" },
    body: registration,
    answer: Token,
    async handle({ ctx, req, res, body }) {
      // Invitations and requests to join need the page of the site.
      if (res.locals.site.signUp !== "open") throw new Forbidden("sign-up is not open");
      const app = await requireApp(ctx, res);
      const user = await limitSignUps(ctx)(req, res, () =>
        withApiNames(names, async () => {
          await refuseSignUpFrom(ctx, req.ip ?? "");
          return await createUser(ctx, body, addressOf(req));
        }),
      );
      await prepareHome(ctx, user, "new");
      return tokenEntity(await issueSignUpToken(ctx, app, { user, generation: "" }));
    },
  }),
];

/** The full name of a new user is their name. */
async function createUser(
  ctx: Ctx,
  { username = "", password = "", agreement }: z.output<typeof registration>,
  from: string,
): Promise<UserId> {
  if (agreement !== true) throw new Invalid({ agreement: "agreement.missing" });
  const person = { name: username, fullname: username, password };
  const joining = { invitation: "", reason: "", agreed: agreement };
  return (await join(ctx, { ...person, ...joining }, from)).user;
}
