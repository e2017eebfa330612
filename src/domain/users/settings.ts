import type { Ctx } from "../../context.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { refuseBlocked } from "../blocks.ts";
import { Invalid, type Problem } from "../errors.ts";
import { bestEffort } from "../outage.ts";
import { promiseRemoval } from "../promises.ts";
import { mapFields, type Profile, profileFields, profileNames } from "../profile-fields.ts";
import { cleanLine, cleanText, fitsGraphemes, isBlank } from "./display-text.ts";
import { readUser, type Theme, type User } from "./store.ts";
import { digestOf } from "../secrets.ts";
import { stampAt } from "../ids.ts";

const clean = { line: cleanLine, text: cleanText, link: cleanWebsite };

/** The user as seen over a block. */
export function withoutProfile(user: User): User {
  return { ...user, ...mapFields(() => ""), fullname: user.fullname, header: "" };
}

/** What is shown of a suspended user. */
export function withNameOnly(user: User): User {
  return { ...withoutProfile(user), fullname: user.name, avatar: "" };
}

/** Texts that are left out stay as they are. Throws Invalid. */
export async function editProfile(ctx: Ctx, user: User, input: Partial<Profile>): Promise<void> {
  await writeProfile(ctx, user, await checkProfile(ctx, input));
}

/** Writes checked texts and nothing else: `user` may have been read long before. */
export async function writeProfile(ctx: Ctx, user: User, texts: Partial<Profile>): Promise<void> {
  const fields = Object.entries(texts).flat();
  if (fields.length > 0) {
    const indexing = { user: user.id };
    await promiseRemoval(ctx, async () => ctx.jobs.chore("index-person", indexing, "later"));
    await ctx.redis.setField(keys.user(user.id), ...fields);
    await promiseRemoval(ctx, async () => ctx.jobs.chore("index-person", indexing));
  }
  const edited = { ...user, ...texts };
  const isOpen = edited.website !== "" && verifiedAt(edited) === undefined;
  if (isOpen) await bestEffort(ctx.jobs.visit({ kind: "website", user: user.id }));
}

/** The texts as they will be stored. Throws Invalid. */
export async function checkProfile(ctx: Ctx, input: Partial<Profile>): Promise<Partial<Profile>> {
  const texts: Partial<Profile> = {};
  for (const name of profileNames) {
    const typed = input[name];
    if (typed === undefined) continue;
    const text = clean[profileFields[name].kind](typed);
    const problem = profileProblem(name, text);
    if (problem !== undefined) throw new Invalid({ [name]: problem });
    texts[name] = text;
  }
  await refuseBlocked(ctx, texts);
  return texts;
}

/** What is wrong with a text that was cleaned. */
export function profileProblem(name: keyof Profile, text: string): Problem | undefined {
  const { limit, blank, malformed } = profileFields[name];
  if (blank !== undefined && isBlank(text)) return blank;
  if (!fitsGraphemes(text, limit)) return `${name}.long`;
  return text === "" || parseWebsite(text) ? undefined : malformed;
}

/** An address as it is stored: "example.org" is short for "https://example.org". */
export function cleanWebsite(raw: string): string {
  const website = cleanLine(raw);
  // One look for a dot inside: the time is linear.
  return /^[^\s:/@](?=[^/]*\.[^/])[^\s:/@]*(\/\S*)?$/u.test(website)
    ? `https://${website}`
    : website;
}

/** Undefined if it is not http(s), or has a user name or password: those only make a host look like another. */
export function parseWebsite(website: string): URL | undefined {
  if (!/^https?:\/\/[^\s/\\]/i.test(website) || /\s/.test(website)) return undefined;
  if (!URL.canParse(website)) return undefined;
  const url = new URL(website);
  return url.username === "" && url.password === "" ? url : undefined;
}

/** Tag of a language of the site; empty for the browser's language. */
export async function chooseLanguage(ctx: Ctx, user: User, language: string): Promise<void> {
  await ctx.redis.setField(keys.user(user.id), "language", language);
}

/** Who sees what the user writes, and who may answer and write to them: the field of each choice. */
const audienceFields = {
  protected: "protected",
  audience: "audience",
  repliesFrom: "replies_from",
  messagesFrom: "messages_from",
  messageTexts: "message_texts",
} as const;
type AudienceChoices = Pick<User, keyof typeof audienceFields>;

/**
 * Choices that are left out stay. When protection ends, a chore accepts those who ask to follow; when it begins or ends,
 * another counts the replies and retweets of before.
 */
export async function chooseAudiences(
  ctx: Ctx,
  { id: user }: Pick<User, "id">,
  choices: Partial<AudienceChoices>,
): Promise<void> {
  // Not as the caller knows the account: that may be what it was before a slow body arrived.
  const wasProtected = (await readUser(ctx, user))?.protected;
  const { protected: isProtected = wasProtected } = choices;
  const promise = async (when?: "later") => {
    if (choices.protected === false) await ctx.jobs.chore("accept-requests", { user }, when);
    if (isProtected !== wasProtected)
      await ctx.jobs.chore("reconcile-protection", { user, after: 0 }, when);
  };
  const fields = Object.entries(choices).flatMap(([name, value]) => [
    audienceFields[name as keyof AudienceChoices],
    typeof value === "boolean" ? (value ? "1" : "") : value,
  ]);
  if (fields.length === 0) return;
  await promiseRemoval(ctx, async () => promise("later"));
  await ctx.redis.setField(keys.user(user), ...fields);
  await ctx.memory.settled();
  await promiseRemoval(ctx, promise);
}

export async function chooseTheme(ctx: Ctx, user: User, theme: Theme): Promise<void> {
  await ctx.redis.setField(keys.user(user.id), "theme", theme);
}

/** When the page of the user's website was found to be the user's; undefined if it was not, or is another page. */
export function verifiedAt({ website, verified }: Pick<User, "website" | "verified">) {
  const [stamp, address] = verified.split(" ");
  return website !== "" && address === website ? Number(stamp) : undefined;
}

/** False if this user's page was looked at in the last day. */
export async function claimWebsiteCheck({ redis }: Ctx, { id, website }: User): Promise<boolean> {
  const key = keys.websiteCheck(digestOf(`${id} ${website}`));
  return (await redis.set(key, "1", "EX", ttlOf("websiteCheck"), "NX")) === "OK";
}

/** Notes what the page said, unless the user has another website by now. */
export async function noteWebsite(ctx: Ctx, { id, website }: User, isVerified: boolean) {
  const verified = isVerified ? `${stampAt(ctx.now(), id)} ${website}` : "";
  await ctx.redis.updateIf(keys.user(id), "website", website, "website_verified", verified);
}
