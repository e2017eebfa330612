import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { cleanLine, cleanText, fitsGraphemes } from "./display-text.ts";
import { fullnameProblem } from "./sign-up.ts";
import type { User } from "./store.ts";
import { cleanWebsite, websiteProblem } from "./website.ts";

export const bioLimit = 160;

export interface Profile {
  fullname: string;
  bio: string;
  website: string;
}

/** Throws Invalid. */
export async function editProfile(ctx: Ctx, user: User, input: Profile): Promise<void> {
  const profile = checkProfile(input);
  await ctx.jobs.chore("index-person", { user: user.id }, "later");
  await ctx.redis.hset(keys.user(user.id), { ...profile });
  await ctx.jobs.chore("index-person", { user: user.id });
}

/** The profile as it will be stored. Throws Invalid. */
export function checkProfile(input: Profile): Profile {
  const fullname = cleanLine(input.fullname);
  const bio = cleanText(input.bio);
  const website = cleanWebsite(input.website);
  const problem = fullnameProblem(fullname);
  if (problem !== undefined) throw new Invalid({ fullname: problem });
  if (!fitsGraphemes(bio, bioLimit)) throw new Invalid({ bio: "bio.long" });
  const websiteTrouble = websiteProblem(website);
  if (websiteTrouble !== undefined) throw new Invalid({ website: websiteTrouble });
  return { fullname, bio, website };
}

/** Tag of a language of the site; empty for the browser's language. */
export async function chooseLanguage(ctx: Ctx, user: User, language: string): Promise<void> {
  await ctx.redis.hset(keys.user(user.id), { language });
}
