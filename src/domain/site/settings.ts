import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { readerOf } from "../members.ts";
import { memo } from "../memo.ts";

export const signUpModes = ["open", "invite", "approve", "closed"] as const;

/** Who may read. With "members" every page but those that lead into the site needs an account. */
export const readModes = ["public", "members"] as const;

/** Name of a site that has no name of its own. */
export const defaultName = "Suzume";

const text = z.string().default("");

/** What the admins decide on /admin/site. Texts are cleaned and within their limits, see edit.ts. */
const stored = z.object({
  signUp: z.enum(signUpModes),
  read: z.enum(readModes),
  /** Whether members may invite, and not only admins. */
  membersInvite: z.stringbool().default(false),
  name: z.string().default(defaultName),
  /** One line. */
  tagline: text,
  description: text,
  /** One rule a line. */
  rules: text,
  /** Mail address or https address, as CONTACT; empty: CONTACT counts. */
  contact: text,
  announcement: text,
  /** #rrggbb, readable as accent.ts has it, or empty for Suzume's own. */
  accent: text,
  /** Digest of the uploaded logo, see logo.ts, or empty. */
  logo: text,
});

export type SiteSettings = z.infer<typeof stored>;

const fields = Object.keys(stored.shape) as (keyof SiteSettings)[];

/** A field that was never set, or that this version does not understand, is undefined. */
const readDecided = readerOf<null, Partial<SiteSettings>>({
  key: () => keys.site,
  command: ["hmget", ...fields],
  parse(reply) {
    const values = reply as (string | null)[];
    const pairs = fields.flatMap((field, nth) => {
      const parsed = stored.shape[field].safeParse(values[nth] ?? undefined);
      return parsed.success ? [[field, parsed.data] as const] : [];
    });
    return Object.fromEntries(pairs);
  },
});

/** The settings of the admins, else of the environment. No round trip when warm; the same object until one changes. */
export async function readSite(ctx: Ctx): Promise<SiteSettings> {
  return settingsWith(ctx.config)(await readDecided(ctx, null));
}

const settingsWith = memo((config: Ctx["config"]) =>
  memo((decided: Partial<SiteSettings>): SiteSettings => ({ ...defaults(config), ...decided })),
);

function defaults({ signUp, read }: Ctx["config"]): SiteSettings {
  return stored.parse({ signUp, read });
}

/** Name of the site, for what is made outside of a request: mails, names of keys in other programs. */
export async function siteName(ctx: Ctx): Promise<string> {
  return (await readSite(ctx)).name;
}

/** Contact address of the site, "mailto:…" or "https://…". */
export function contactOf({ config }: Ctx, { contact }: SiteSettings): string | undefined {
  return contact === "" ? config.contact : contact;
}

/** Used where the settings cannot be read: lets no stranger in. */
export function closedSite(ctx: Ctx): SiteSettings {
  return { ...defaults(ctx.config), signUp: "closed", read: "members" };
}

/** Stores what an admin decided; the caller has checked it. A setting that is left out stays. */
export async function writeSite(ctx: Ctx, changes: Partial<SiteSettings>): Promise<void> {
  const entries = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => [field, String(value)]);
  if (entries.length > 0) await ctx.redis.hset(keys.site, Object.fromEntries(entries));
}
