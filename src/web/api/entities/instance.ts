import { z } from "zod";
import { version } from "../../../config.ts";
import type { Ctx } from "../../../context.ts";
import type { SiteSettings } from "../../../domain/site/settings.ts";
import type { SiteStats } from "../../../domain/feeds/public-lists.ts";
import { descriptionLimit, picturesAtMost } from "../../../domain/pictures/picture.ts";
import { pixelLimit } from "../../../domain/drawing/decoder.ts";
import { vapidKeys } from "../../../domain/push/endpoints.ts";
import { choiceLimit, choicesAtMost, pollSeconds } from "../../../domain/tweets/poll.ts";
import { textLimit } from "../../../domain/tweets/text.ts";
import { iconPath } from "../../layout/branding.ts";
import { Account } from "./account.ts";
import { address, constants, count, entity, typed } from "./fields.ts";

/** What both versions of the entity are made of. */
export interface About {
  ctx: Ctx;
  site: string;
  settings: SiteSettings;
  stats: SiteStats;
  /** The mail address, or empty, and the account, if the host has set one. */
  contact: { email: string; account: z.output<typeof Account> | null };
  languages: string[];
}

export const ownDescription = `A small, fast place to say things in ${textLimit} characters.`;
/** Apps look at the first number to know what they may ask for. */
export const compatible = `4.2.0 (compatible; Suzume ${version})`;

/**
 * No films: zeros, as apps do sums with them. An address counts as long as it is, which
 * cannot be said here: this is what apps count unless they are told otherwise.
 */
export const limits = {
  statuses: {
    max_characters: textLimit,
    max_media_attachments: picturesAtMost,
    characters_reserved_per_url: 23,
  },
  media_attachments: {
    supported_mime_types: ["image/jpeg", "image/png", "image/webp", "image/avif", "image/gif"],
    description_limit: descriptionLimit,
    image_size_limit: 5_000_000,
    image_matrix_limit: pixelLimit,
    video_size_limit: 0,
    video_frame_rate_limit: 0,
    video_matrix_limit: 0,
  },
  polls: {
    max_options: choicesAtMost,
    max_characters_per_option: choiceLimit,
    min_expiration: Math.min(...pollSeconds),
    max_expiration: Math.max(...pollSeconds),
  },
} as const;

const configuration = {
  limited_federation: false,
  ...limits,
  accounts: { max_featured_tags: 0, max_pinned_statuses: 1 },
  translation: { enabled: false },
} as const;

const always = { version: compatible, api_versions: { mastodon: 2 } } as const;

const alwaysOfRules = { hint: "", translations: {} } as const;

/** One rule a line. */
export const Rule = entity("Rule", {
  id: z.string(),
  text: z.string(),
  ...constants(alwaysOfRules),
});

export function presentRules({ rules }: SiteSettings): z.output<typeof Rule>[] {
  const lines = rules.split("\n").filter((line) => line.trim() !== "");
  return lines.map((text, nth) => ({ id: String(nth + 1), text, ...alwaysOfRules }));
}

/** Who may read a timeline of all accounts; there are none of other servers. */
const timelineAccess = z.strictObject({
  local: z.enum(["public", "authenticated"]),
  remote: z.literal("disabled"),
});

export const Instance = entity("Instance", {
  ...constants(always),
  title: z.string(),
  description: typed,
  registrations: z.strictObject({
    enabled: z.boolean(),
    approval_required: z.boolean(),
    reason_required: z.boolean(),
    url: address.nullable(),
    ...constants({ message: null, min_age: null }),
  }),
  rules: z.array(Rule),
  domain: z.string(),
  source_url: z.string(),
  usage: z.strictObject({ users: z.strictObject({ active_month: count }) }),
  thumbnail: z.strictObject({
    url: address,
    ...constants({ blurhash: null, versions: {} }),
  }),
  icon: z.array(z.strictObject({ src: address, size: z.string() })),
  languages: z.array(z.string()),
  configuration: z.strictObject({
    ...constants(configuration),
    timelines_access: z.strictObject({
      live_feeds: timelineAccess,
      hashtag_feeds: timelineAccess,
      trending_link_feeds: timelineAccess,
    }),
    vapid: z.strictObject({ public_key: z.string() }),
    urls: z.strictObject({
      streaming: address,
      about: address,
      privacy_policy: address,
      ...constants({ status: null, terms_of_service: null }),
    }),
  }),
  contact: z.strictObject({ email: z.string(), account: Account.nullable() }),
});

export function instanceEntity({ ctx, site, settings, stats, contact, languages }: About) {
  const isOpen = settings.signUp === "open";
  const needsApproval = settings.signUp === "approve";
  const isPublic = settings.read === "public";
  const access = { local: isPublic ? "public" : "authenticated", remote: "disabled" } as const;
  return {
    ...always,
    title: settings.name,
    description: settings.tagline || ownDescription,
    registrations: {
      enabled: isOpen,
      approval_required: needsApproval,
      reason_required: needsApproval,
      message: null,
      min_age: null,
      // Where apps send people who cannot sign up in the app.
      url: isOpen ? null : `${site}/signup`,
    },
    rules: presentRules(settings),
    domain: new URL(site).host,
    source_url: ctx.config.sourceUrl ?? "",
    usage: { users: { active_month: stats.activePeople } },
    thumbnail: { url: iconAt(site, settings, "icon.png"), blurhash: null, versions: {} },
    icon: [
      { src: iconAt(site, settings, "icon-192.png"), size: "192x192" },
      { src: iconAt(site, settings, "icon.png"), size: "512x512" },
    ],
    languages,
    configuration: {
      ...configuration,
      timelines_access: { live_feeds: access, hashtag_feeds: access, trending_link_feeds: access },
      // Apps subscribe to pushes with it.
      vapid: { public_key: vapidKeys(ctx.config).publicKey },
      urls: {
        streaming: streamingOf(site),
        status: null,
        about: `${site}/about`,
        privacy_policy: `${site}/privacy`,
        terms_of_service: null,
      },
    },
    contact,
  } satisfies z.output<typeof Instance>;
}

export function streamingOf(site: string): string {
  return site.replace(/^http/, "ws");
}

export function iconAt(site: string, ...icon: Parameters<typeof iconPath>): string {
  return `${site}${iconPath(...icon)}`;
}
