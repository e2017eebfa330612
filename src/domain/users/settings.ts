import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { refuseBlocked } from "../blocks.ts";
import { Invalid } from "../errors.ts";
import type { Problem } from "../problems.ts";
import { cleanLine, cleanText, fitsGraphemes } from "./display-text.ts";
import { fullnameProblem } from "./sign-up.ts";
import type { Theme, User } from "./store.ts";

/** In graphemes. */
const bioLimit = 160;
const websiteLimit = 100;

interface Profile {
  fullname: string;
  bio: string;
  website: string;
}

/** What users tell about themselves beside their names. The compiler asks for each field of `Profile`. */
export const emptyProfile: Omit<Profile, "fullname"> = { bio: "", website: "" };

/** The user as seen over a block. */
export function withoutProfile(user: User): User {
  return { ...user, ...emptyProfile, header: "" };
}

/** What is shown of a suspended user. */
export function withNameOnly(user: User): User {
  return { ...withoutProfile(user), fullname: user.name, avatar: "" };
}

/** Throws Invalid. */
export async function editProfile(ctx: Ctx, user: User, input: Profile): Promise<void> {
  await writeProfile(ctx, user, await checkProfile(ctx, input));
}

/** For a moderator, who removes a part: the rest stays as it is, also with words that are blocked since. */
export async function writeProfile(ctx: Ctx, user: User, profile: Profile): Promise<void> {
  const { fullname, bio, website } = profile;
  await ctx.jobs.chore("index-person", { user: user.id }, "later");
  await ctx.redis.hset(keys.user(user.id), { fullname, bio, website });
  await ctx.jobs.chore("index-person", { user: user.id });
}

/** The profile as it will be stored. Throws Invalid. */
export async function checkProfile(ctx: Ctx, input: Profile): Promise<Profile> {
  const fullname = cleanLine(input.fullname);
  const bio = cleanText(input.bio);
  const website = cleanWebsite(input.website);
  const nameProblem = fullnameProblem(fullname);
  if (nameProblem !== undefined) throw new Invalid({ fullname: nameProblem });
  if (!fitsGraphemes(bio, bioLimit)) throw new Invalid({ bio: "bio.long" });
  const problem = websiteProblem(website);
  if (problem !== undefined) throw new Invalid({ website: problem });
  await refuseBlocked(ctx, { fullname, bio, website });
  return { fullname, bio, website };
}

/** An address as it is stored: "example.org" is short for "https://example.org". */
export function cleanWebsite(raw: string): string {
  const website = cleanLine(raw);
  return /^[^\s:/@]+\.[^\s:/@]+(\/\S*)?$/u.test(website) ? `https://${website}` : website;
}

/** For an address that was cleaned. Empty is allowed: few people have a website. */
function websiteProblem(website: string): Problem | undefined {
  if (website === "") return undefined;
  if (!fitsGraphemes(website, websiteLimit)) return "website.long";
  return parseWebsite(website) === undefined ? "website.format" : undefined;
}

/**
 * Undefined for an address that is not http(s), and for one with a user name or password: those only make a
 * host look like another.
 */
export function parseWebsite(website: string): URL | undefined {
  if (!/^https?:\/\/[^\s/\\]/i.test(website) || /\s/.test(website)) return undefined;
  if (!URL.canParse(website)) return undefined;
  const url = new URL(website);
  return url.username === "" && url.password === "" ? url : undefined;
}

/** Tag of a language of the site; empty for the browser's language. */
export async function chooseLanguage(ctx: Ctx, user: User, language: string): Promise<void> {
  await ctx.redis.hset(keys.user(user.id), { language });
}

export async function chooseTheme(ctx: Ctx, user: User, theme: Theme): Promise<void> {
  await ctx.redis.hset(keys.user(user.id), { theme });
}
