import { z } from "zod";
import { escapeMarkup } from "../../layout/text.ts";
import { Account } from "./account.ts";
import {
  type About,
  compatible,
  iconAt,
  limits,
  ownDescription,
  presentRules,
  Rule,
  streamingOf,
} from "./instance.ts";
import { address, constants, count, typed } from "./parts.ts";

const alwaysOld = {
  version: compatible,
  configuration: { ...limits, accounts: { max_featured_tags: 0 } },
} as const;

/** The first version of the entity. */
export const OldInstance = z
  .strictObject({
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
  })
  .meta({ id: "OldInstance" });

export function oldInstanceEntity({ site, settings, mail, stats, contact, languages }: About) {
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
    email: mail,
    urls: { streaming_api: streamingOf(site) },
    stats: { user_count: stats.people, status_count: stats.tweets, domain_count: 1 },
    thumbnail: iconAt(site, settings, "icon.png"),
    languages: [...languages],
    contact_account: contact,
  } satisfies z.output<typeof OldInstance>;
}
