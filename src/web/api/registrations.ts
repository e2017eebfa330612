import type { Response } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { refuseSignUpFrom } from "../../domain/blocks.ts";
import { issueSignUpToken } from "../../domain/apps/issue-token.ts";
import { join } from "../../domain/community/join.ts";
import { requestAddress } from "../../domain/accounts/confirm-mail.ts";
import { hasMail, isAddress } from "../../domain/accounts/mail.ts";
import { Forbidden, Invalid, TooMany } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { limiterOf } from "../../domain/limiter.ts";
import { parseLanguage } from "../../domain/tweets/text.ts";
import { networkOf } from "../../domain/users/payer.ts";
import { findUser } from "../../domain/users/store.ts";
import { costs } from "../../domain/limit-classes.ts";
import { prepareHome } from "../../domain/timelines/home.ts";
import { addressOf, widestNetworkOf } from "../request/address.ts";
import { limitSignUps } from "../request/limits.ts";
import { requireApp } from "./bearer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { anything, flag, text } from "./input.ts";
import { Token, tokenEntity } from "./oauth.ts";

const registration = z.object({
  username: text,
  password: text,
  email: text.describe("Asked to be confirmed, where the site sends mail; else not kept."),
  agreement: flag.describe("Required to be true."),
  locale: text.describe("Language of that mail."),
  invite_code: text,
  reason: anything("Not asked for where sign-up is open."),
});
type Registration = z.output<typeof registration>;

/** Signing up through an app. */
export const registrationEndpoints: readonly Endpoint[] = [
  endpoint("POST /api/v1/accounts", "Sign up, through an app", {
    access: { scopes: ["write:accounts"], by: "app" },
    body: registration,
    answer: Token,
    names: { name: "username", fullname: "username" },
    async handle({ ctx, req, res, body }) {
      // Invitations and requests to join need the page of the site.
      if (res.locals.site.signUp !== "open") throw new Forbidden("sign-up is not open");
      const app = await requireApp(ctx, res);
      const address = addressIn(ctx, body);
      const user = await limitSignUps(ctx)(req, res, async () => {
        await refuseSignUpFrom(ctx, req.ip ?? "");
        return await createUser(ctx, body, addressOf(req));
      });
      await prepareHome(ctx, user, "new");
      if (address !== undefined) await askToConfirm(ctx, res, { user, address }, body);
      return tokenEntity(await issueSignUpToken(ctx, app, { user, generation: "" }));
    },
  }),
];

/** Undefined where the site sends no mail. Throws Invalid. */
function addressIn(ctx: Ctx, { email = "" }: Registration): string | undefined {
  if (email === "" || !hasMail(ctx)) return undefined;
  if (!isAddress(email.trim())) throw new Invalid({ email: "address.format" });
  return email;
}

/** Counts as a mail of a new account. After too many there is none: its user can ask for it in the settings. */
async function askToConfirm(
  ctx: Ctx,
  res: Response,
  { user: id, address }: { user: UserId; address: string },
  { locale = "" }: Registration,
): Promise<void> {
  const wanted = parseLanguage(locale)?.split("-")[0];
  const { words, languages } = res.locals;
  const { tag = words.language } = languages.find((language) => language.tag === wanted) ?? {};
  const user = await findUser(ctx, id);
  const newAddress = limiterOf(ctx, "mails:newAddress");
  const { refused } = await newAddress.take(networkOf(ctx, addressOf(res.req)), costs.mail.points);
  if (user === undefined || refused) return;
  const from = widestNetworkOf(ctx, res.req);
  try {
    await requestAddress(ctx, user, { address, password: undefined, language: tag, from });
  } catch (error) {
    if (!(error instanceof TooMany)) throw error;
  }
}

/** The full name of a new user is their name. */
async function createUser(
  ctx: Ctx,
  { username = "", password = "", agreement, invite_code: invitation = "" }: Registration,
  from: string,
): Promise<UserId> {
  if (agreement !== true) throw new Invalid({ agreement: "agreement.missing" });
  const person = { name: username, fullname: username, password };
  const joining = { invitation, reason: "", agreed: agreement };
  return (await join(ctx, { ...person, ...joining }, from)).user;
}
