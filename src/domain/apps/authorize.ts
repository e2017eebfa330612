import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { type Consent, issueCode } from "./codes.ts";
import { keepApp } from "./store.ts";

/** Somebody lets an app in: the code with which it fetches its token. From now on the app is known for good. */
export async function allowApp(ctx: Ctx, user: UserId, consent: Consent): Promise<string> {
  await keepApp(ctx, consent.app);
  return await issueCode(ctx, user, consent);
}
