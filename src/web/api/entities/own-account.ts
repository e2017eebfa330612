import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { countRequests } from "../../../domain/graph/follow-requests.ts";
import { findAccountStats } from "../../../domain/timelines/account-stats.ts";
import { effectiveAudience } from "../../../domain/tweets/audience.ts";
import type { User } from "../../../domain/users/store.ts";
import { Account, accountEntity, Field, provenOn, readBioMentions } from "./account.ts";
import { constants, count, entity, typed, Visibility, visibilityOf } from "./fields.ts";

const sourceAlways = {
  sensitive: false,
  language: null,
  quote_policy: "public",
  attribution_domains: [],
  hide_collections: false,
  discoverable: true,
  indexable: true,
} as const;

const role = { id: "-99", name: "", permissions: "0", color: "", highlighted: false } as const;

/** The viewer's own account: with what only its user sees. */
export const CredentialAccount = entity("CredentialAccount", {
  ...Account.shape,
  source: z.strictObject({
    note: typed,
    fields: z.array(Field),
    privacy: Visibility,
    follow_requests_count: count,
    ...constants(sourceAlways),
  }),
  ...constants({ role }),
});

export async function credentialEntity(ctx: Ctx, site: string, user: User) {
  const [standing, mentions, requests] = await Promise.all([
    findAccountStats(ctx, user.id),
    readBioMentions(ctx, [user]),
    countRequests(ctx, user.id),
  ]);
  const website = { name: "Website", value: user.website, verified_at: provenOn(user) };
  return {
    ...accountEntity(user, { site, standing, mentions }),
    source: {
      note: user.bio,
      fields: user.website === "" ? [] : [website],
      privacy: visibilityOf(effectiveAudience(user, user)),
      follow_requests_count: requests,
      ...sourceAlways,
    },
    role,
  } satisfies z.output<typeof CredentialAccount>;
}
