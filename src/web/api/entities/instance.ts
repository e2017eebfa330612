import type { Config } from "../../../config.ts";
import type { SiteSettings } from "../../../domain/site/settings.ts";
import type { SiteStats } from "../../../domain/tweets/site-stats.ts";
import { textLimit } from "../../../domain/tweets/text.ts";
import { version } from "../../version.ts";

const title = "Suzume";
const description = `A small, fast place to say things in ${textLimit} characters.`;
/** Apps look at the first number to know what they may ask for. */
const compatible = `4.2.0 (compatible; Suzume ${version})`;

/** All that the site tells of itself. */
export interface About {
  /** Where it is, without a path. */
  site: string;
  settings: SiteSettings;
  config: Config;
  stats: SiteStats;
  /** JSON of the contact account, if the host has set one. */
  contact: unknown;
  /** In which it speaks. */
  languages: readonly string[];
}

/** One rule a line. */
export function presentRules({ rules }: SiteSettings) {
  const lines = rules.split("\n").filter((line) => line.trim() !== "");
  return lines.map((text, nth) => ({ id: String(nth + 1), text, hint: "" }));
}

/** Mastodon's Instance of its second version. */
export function instanceEntity({ site, settings, config, stats, contact, languages }: About) {
  return {
    domain: new URL(site).host,
    title,
    version: compatible,
    source_url: config.sourceUrl ?? "",
    description,
    usage: { users: { active_month: stats.activePeople } },
    thumbnail: { url: thumbnailOf(site), blurhash: null, versions: {} },
    icon: [
      { src: `${site}/icon-192.png`, size: "192x192" },
      { src: thumbnailOf(site), size: "512x512" },
    ],
    languages,
    configuration: {
      urls: {
        streaming: streamingOf(site),
        status: null,
        about: `${site}/about`,
        privacy_policy: `${site}/privacy`,
        terms_of_service: null,
      },
      vapid: { public_key: "" },
      ...limits,
      accounts: { max_featured_tags: 0, max_pinned_statuses: 1 },
      translation: { enabled: false },
    },
    registrations: {
      enabled: settings.signUp === "open",
      approval_required: settings.signUp === "approve",
      reason_required: settings.signUp === "approve",
      message: null,
      min_age: null,
      url: settings.signUp === "open" ? null : `${site}/signup`,
    },
    api_versions: { mastodon: 1 },
    contact: { email: mailOf(config), account: contact },
    rules: presentRules(settings),
  };
}

/** Of its first version. */
export function oldInstanceEntity({ site, settings, config, stats, contact, languages }: About) {
  return {
    uri: new URL(site).host,
    title,
    short_description: description,
    description,
    email: mailOf(config),
    version: compatible,
    urls: { streaming_api: streamingOf(site) },
    stats: { user_count: stats.people, status_count: stats.tweets, domain_count: 1 },
    thumbnail: thumbnailOf(site),
    languages,
    registrations: settings.signUp === "open",
    approval_required: settings.signUp === "approve",
    invites_enabled: settings.membersInvite,
    configuration: { ...limits, accounts: { max_featured_tags: 0 } },
    contact_account: contact,
    rules: presentRules(settings),
  };
}

/**
 * No pictures and no polls: zeros, as apps do sums with them. An address counts as long as it is, which
 * cannot be said here: this is what apps count unless they are told otherwise.
 */
const limits = {
  statuses: {
    max_characters: textLimit,
    max_media_attachments: 0,
    characters_reserved_per_url: 23,
  },
  media_attachments: {
    supported_mime_types: [],
    description_limit: 0,
    image_size_limit: 0,
    image_matrix_limit: 0,
    video_size_limit: 0,
    video_frame_rate_limit: 0,
    video_matrix_limit: 0,
  },
  polls: {
    max_options: 0,
    max_characters_per_option: 0,
    min_expiration: 0,
    max_expiration: 0,
  },
};

function streamingOf(site: string): string {
  return site.replace(/^http/, "ws");
}

function thumbnailOf(site: string): string {
  return `${site}/icon.png`;
}

function mailOf({ contact = "" }: Config): string {
  return /^mailto:(.+)$/.exec(contact)?.[1] ?? "";
}
