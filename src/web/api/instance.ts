import { z } from "zod";
import { siteStats } from "../../domain/feeds/public-lists.ts";
import { contactOf } from "../../domain/site/settings.ts";
import { findUserByName } from "../../domain/users/store.ts";
import { presentParagraphs } from "../layout/branding.ts";
import { escapeMarkup, markUp } from "../layout/text.ts";
import { type ApiRequest, type Endpoint, endpoint } from "./endpoint.ts";
import { Account, presentAccount } from "./entities/account.ts";
import {
  type About,
  compatible,
  iconAt,
  Instance,
  instanceEntity,
  limits,
  ownDescription,
  presentRules,
  Rule,
  streamingOf,
} from "./entities/instance.ts";
import { address, constants, count, entity, html, moment, typed } from "./entities/fields.ts";

const alwaysOld = {
  version: compatible,
  configuration: { ...limits, accounts: { max_featured_tags: 0 } },
} as const;

/** The first version of the entity. */
const OldInstance = entity("OldInstance", {
  ...constants(alwaysOld),
  title: z.string(),
  short_description: typed,
  description: typed,
  registrations: z.boolean(),
  approval_required: z.boolean(),
  invites_enabled: z.boolean(),
  rules: z.array(Rule),
  uri: z.string(),
  email: z.string(),
  urls: z.strictObject({ streaming_api: address }),
  stats: z.strictObject({ user_count: count, status_count: count, domain_count: count }),
  thumbnail: address,
  languages: z.array(z.string()),
  contact_account: Account.nullable(),
});

/** When the texts of the site were written. */
const written = "2026-01-01T00:00:00.000Z";

const Text = z.strictObject({ updated_at: moment, content: html });
const ExtendedDescription = Text.meta({ id: "ExtendedDescription" });
const PrivacyPolicy = Text.meta({ id: "PrivacyPolicy" });

/** What the site tells of itself, to anybody. */
export const instanceEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/instance", "The site, as older apps ask for it", {
    access: "anybody",
    answer: OldInstance,
    handle: async (request) => oldInstanceEntity(await aboutSite(request)),
  }),
  endpoint("GET /api/v2/instance", "The site", {
    access: "anybody",
    answer: Instance,
    handle: async (request) => instanceEntity(await aboutSite(request)),
  }),
  endpoint("GET /api/v1/instance/rules", "The rules of the site", {
    access: "anybody",
    answer: z.array(Rule),
    handle: ({ res }) => presentRules(res.locals.site),
  }),
  endpoint("GET /api/v1/instance/extended_description", "What the site is, at length", {
    access: "anybody",
    answer: ExtendedDescription,
    handle: ({ res, site }) => {
      const description = presentParagraphs(res.locals.site.description);
      const paragraphs = description.map((parts) => `<p>${markUp(parts, site)}</p>`).join("");
      return textOf(paragraphs || linkTo(`${site}/about`, "About this site"));
    },
  }),
  endpoint("GET /api/v1/instance/privacy_policy", "A link to the privacy policy", {
    access: "anybody",
    answer: PrivacyPolicy,
    handle: ({ site }) => textOf(linkTo(`${site}/privacy`, "What this site keeps about people")),
  }),
];

function textOf(content: string): z.output<typeof Text> {
  return { updated_at: written, content };
}

function linkTo(page: string, words: string): string {
  return `<p><a href="${page}">${words}</a></p>`;
}

function mailOf(contact = ""): string {
  return /^mailto:(.+)$/.exec(contact)?.[1] ?? "";
}

async function aboutSite(request: ApiRequest): Promise<About> {
  const { ctx, site } = request;
  const { site: settings, languages } = request.res.locals;
  const [stats, account] = await Promise.all([siteStats(ctx), contactAccount(request)]);
  const contact = { email: mailOf(contactOf(ctx, settings)), account };
  return { ctx, site, settings, stats, contact, languages: languages.map(({ tag }) => tag) };
}

/** The first admin who has signed up, if the site names its admins. */
async function contactAccount(request: ApiRequest): Promise<About["contact"]["account"]> {
  const { ctx } = request;
  const names = ctx.config.showAdmins ? ctx.config.admins : [];
  const users = await Promise.all(names.map((name) => findUserByName(ctx, name)));
  const admin = users.find((user) => user !== undefined && !user.suspended);
  if (admin === undefined) return null;
  return JSON.parse(await presentAccount(request, admin)) as z.output<typeof Account>;
}

function oldInstanceEntity({ site, settings, stats, contact, languages }: About) {
  const description = settings.tagline || ownDescription;
  return {
    ...alwaysOld,
    title: settings.name,
    short_description: description,
    // Apps show it as HTML.
    description: escapeMarkup(description),
    registrations: settings.signUp === "open",
    approval_required: settings.signUp === "approve",
    invites_enabled: settings.membersInvite,
    rules: presentRules(settings),
    uri: new URL(site).host,
    email: contact.email,
    urls: { streaming_api: streamingOf(site) },
    stats: { user_count: stats.people, status_count: stats.tweets, domain_count: 1 },
    thumbnail: iconAt(site, settings, "icon.png"),
    languages,
    contact_account: contact.account,
  } satisfies z.output<typeof OldInstance>;
}
