import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { pauseDeadline } from "../deadline.ts";
import { contentDigest, draw } from "../drawing/draw.ts";
import { type LogoFile, logoFiles } from "../drawing/logo.ts";
import { type Problem, refuseIfAny } from "../errors.ts";
import { cleanLine, cleanText, fitsGraphemes, isBlank } from "../users/display-text.ts";
import { palettesOf } from "./accent.ts";
import type { SiteSettings } from "./settings.ts";

/** Max characters of each text, and how it is cleaned. */
const texts = {
  name: { most: 30, long: "siteName.long", clean: cleanLine },
  tagline: { most: 120, long: "tagline.long", clean: cleanLine },
  description: { most: 5000, long: "description.long", clean: cleanText },
  rules: { most: 4000, long: "rules.long", clean: cleanText },
  announcement: { most: 500, long: "announcement.long", clean: cleanText },
} as const;

/** What an admin typed; what is left out stays. */
type SiteEdit = Partial<Omit<SiteSettings, "logo">>;

/** What an admin decided, as it will be stored. Throws Invalid beside each field that is refused. */
export function checkSite(typed: SiteEdit): SiteEdit {
  const changes = { ...typed };
  const problems: Record<string, Problem> = {};
  for (const field of Object.keys(texts) as (keyof typeof texts)[]) {
    const raw = typed[field];
    if (raw === undefined) continue;
    const { most, long, clean } = texts[field];
    const text = clean(raw);
    if (!fitsGraphemes(text, most)) problems[field] = long;
    changes[field] = isBlank(text) ? "" : text;
  }
  if (changes.name === "") problems["name"] = "siteName.empty";
  if (typed.contact !== undefined) changes.contact = parseContact(typed.contact, problems);
  if (typed.accent !== undefined) changes.accent = parseAccent(typed.accent, problems);
  refuseIfAny(problems);
  return changes;
}

/** Max characters of an address. */
const addressLimit = 250;
const address = z
  .union([
    z.email().transform((mail) => `mailto:${mail}`),
    z.url({ protocol: /^https$/, hostname: z.regexes.domain }),
  ])
  .refine((url) => url.length <= addressLimit);

/** "mailto:…", "https://…" or empty. */
function parseContact(typed: string, problems: Record<string, Problem>): string {
  const raw = typed.trim().replace(/^mailto:/i, "");
  if (raw === "") return "";
  const parsed = address.safeParse(raw);
  if (parsed.success) return parsed.data;
  problems["contact"] = "contact.format";
  return "";
}

/** "#rrggbb" or empty; the "#" and the capitals may be typed or not. */
function parseAccent(typed: string, problems: Record<string, Problem>): string {
  const raw = typed.trim().toLowerCase();
  if (raw === "") return "";
  const [, digits = ""] = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/.exec(raw) ?? [];
  const accent = `#${digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits}`;
  if (digits === "") problems["accent"] = "accent.format";
  else if (palettesOf(accent) === undefined) problems["accent"] = "accent.pale";
  return accent;
}

/** The fields of a logo: its pictures and their digest. */
type Logo = Record<LogoFile, Buffer> & { logo: string };

/** Draws an uploaded logo; a request waits for its turn. Throws Invalid beside `logo`, TooMany. */
export async function prepareLogo(upload: Buffer): Promise<Logo> {
  const files = await pauseDeadline(() => draw("logo", upload));
  return { ...files, logo: contentDigest(...logoFiles.map((file) => files[file])) };
}

/** One command writes all pictures together with their digest: they are fields of the settings. */
export async function changeLogo(ctx: Ctx, logo: Logo): Promise<void> {
  await ctx.redis.hset(keys.site, logo);
}

/** The site has its sparrow again. */
export async function removeLogo(ctx: Ctx): Promise<void> {
  await ctx.redis.hset(keys.site, "logo", "");
  await ctx.redis.hdel(keys.site, ...logoFiles);
}

/** Undefined without a logo, and for a `digest` that it does not have. */
export async function findLogo(ctx: Ctx, file: LogoFile, digest?: string) {
  const [stored, picture] = await ctx.redis.hmgetBuffer(keys.site, "logo", file);
  const current = stored?.toString() ?? "";
  return current === "" || current !== (digest ?? current) ? undefined : (picture ?? undefined);
}
