import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { cleanLine, cleanText, fitsGraphemes } from "./display-text.ts";
import { checkPassword, hashPassword, passwordProblem } from "./passwords.ts";
import { closeOtherSessions } from "./sessions.ts";
import { fullnameProblem } from "./sign-up.ts";
import { findPasswordHash, type User } from "./store.ts";
import { cleanWebsite, websiteProblem } from "./website.ts";

export const bioLimit = 160;

/** Throws Invalid. */
export async function editProfile(
  ctx: Ctx,
  user: User,
  input: { fullname: string; bio: string; website: string },
): Promise<void> {
  const fullname = cleanLine(input.fullname);
  const bio = cleanText(input.bio);
  const website = cleanWebsite(input.website);
  const problem = fullnameProblem(fullname);
  if (problem !== undefined) throw new Invalid({ fullname: problem });
  if (!fitsGraphemes(bio, bioLimit)) throw new Invalid({ bio: "bio.long" });
  const websiteTrouble = websiteProblem(website);
  if (websiteTrouble !== undefined) throw new Invalid({ website: websiteTrouble });
  await ctx.jobs.chore("index-person", { user: user.id }, "later");
  await ctx.redis.hset(keys.user(user.id), { fullname, bio, website });
  await ctx.jobs.chore("index-person", { user: user.id });
}

/** The tag of a language of the site; empty for what their browser asks for. */
export async function chooseLanguage(ctx: Ctx, user: User, language: string): Promise<void> {
  await ctx.redis.hset(keys.user(user.id), { language });
}

/**
 * Sets a new password and ends every session but `session`. Throws Invalid: beside
 * `current_password` if that is not the present one, else beside `new_password`.
 */
export async function changePassword(
  ctx: Ctx,
  user: User,
  input: { current: string; next: string; session: string },
): Promise<void> {
  const problem = passwordProblem(input.next, user.name);
  if (problem !== undefined) throw new Invalid({ new_password: problem });
  const { bcryptCost } = ctx.config;
  const hash = await findPasswordHash(ctx, user.id);
  if (!(await checkPassword(input.current, hash, bcryptCost)))
    throw new Invalid({ current_password: "password.wrong" });
  await ctx.redis.hset(keys.user(user.id), { pass: await hashPassword(input.next, bcryptCost) });
  await closeOtherSessions(ctx, user.id, input.session);
}
