import { z } from "zod";
import type { Scope } from "../../domain/apps/scopes.ts";
import { Invalid, type Problem } from "../../domain/errors.ts";
import { findUsers } from "../../domain/users/store.ts";
import { accountIds, getAccount } from "./account-param.ts";
import { type Access, emptyList, endpoint, type Endpoint, knows, needs } from "./endpoint.ts";
import { constants, entity } from "./entities/fields.ts";
import { only } from "./input.ts";

const lists: [path: string, access: Access][] = [
  ["v1/custom_emojis", "anybody"],
  ["v1/instance/activity", "anybody"],
  ["v1/instance/domain_blocks", "anybody"],
  ["v1/instance/peers", "anybody"],
  ["v1/trends/links", "anybody"],
  ["v1/trends/statuses", "anybody"],
  ["v1/announcements", needs("read:accounts")],
  ["v1/domain_blocks", needs("read:blocks")],
  ["v1/endorsements", needs("read:accounts")],
  ["v1/featured_tags", needs("read:accounts")],
  ["v1/featured_tags/suggestions", needs("read:accounts")],
  ["v1/accounts/{id}/endorsements", knows("read:accounts")],
  ["v1/accounts/{id}/featured_tags", knows("read:accounts")],
  ["v1/accounts/{id}/identity_proofs", knows("read:accounts")],
  // Trending links and other servers: there are none.
  ["v1/timelines/link", knows("read:statuses")],
  ["v1/peers/search", "anybody"],
];

const FamiliarFollowers = entity("FamiliarFollowers", { id: z.string(), accounts: emptyList });
const noReports = { annual_reports: [], accounts: [], statuses: [] } as const;

/** Unsupported features return empty results, so that apps show nothing in their place instead of an error. */
export const unsupportedEndpoints: readonly Endpoint[] = [
  ...lists.map(([path, access]) =>
    endpoint(`GET /api/${path}`, "Always empty", {
      access,
      answer: emptyList,
      async handle({ ctx, params }) {
        if (/\{id\}/.test(path)) await getAccount(ctx, params.id);
        return [];
      },
    }),
  ),
  endpoint("GET /api/v1/instance/translation_languages", "Always empty", {
    access: "anybody",
    handle() {},
  }),
  endpoint("GET /api/v1/annual_reports", "Always empty", {
    access: needs("read:accounts"),
    answer: z.strictObject(constants(noReports)),
    handle: () => noReports,
  }),
  endpoint("GET /api/v1/accounts/familiar_followers", "Answers empty lists", {
    access: needs("read:follows"),
    query: z.object({ id: accountIds }),
    answer: z.array(FamiliarFollowers),
    async handle({ ctx, query }) {
      const users = await findUsers(ctx, query.id);
      return [...users.keys()].map((id) => ({ id, accounts: [] }));
    },
  }),
];

/** What only Mastodon has, with the sentence for an app that asks for it. */
const refused: [route: Parameters<typeof endpoint>[0], scope: Scope, problem: Problem][] = [
  ["POST /api/v2/filters/{id}/statuses", "write:filters", "filter.statuses"],
  ["DELETE /api/v2/filters/statuses/{id}", "write:filters", "filter.statuses"],
  ["POST /api/v1/statuses/{id}/translate", "read:statuses", "feature.translation"],
  ["PUT /api/v1/statuses/{id}/interaction_policy", "write:statuses", "feature.quotes"],
  ["POST /api/v1/statuses/{id}/quotes/{quoting}/revoke", "write:statuses", "feature.quotes"],
  ["GET /api/v1/statuses/{id}/quotes", "read:statuses", "feature.quoteLists"],
  ["POST /api/v1/accounts/{id}/pin", "write:accounts", "feature.endorsements"],
  ["POST /api/v1/accounts/{id}/unpin", "write:accounts", "feature.endorsements"],
  ["POST /api/v1/accounts/{id}/endorse", "write:accounts", "feature.endorsements"],
  ["POST /api/v1/accounts/{id}/unendorse", "write:accounts", "feature.endorsements"],
  ["POST /api/v1/accounts/{id}/note", "write:accounts", "feature.notes"],
  ["POST /api/v1/featured_tags", "write:accounts", "feature.featuredTags"],
  ["DELETE /api/v1/featured_tags/{id}", "write:accounts", "feature.featuredTags"],
  ["POST /api/v1/tags/{tag}/feature", "write:accounts", "feature.featuredTags"],
  ["POST /api/v1/tags/{tag}/unfeature", "write:accounts", "feature.featuredTags"],
  ["POST /api/v1/domain_blocks", "write:blocks", "feature.servers"],
  ["DELETE /api/v1/domain_blocks", "write:blocks", "feature.servers"],
  ["POST /api/v1/announcements/{id}/dismiss", "write:accounts", "feature.announcements"],
  ["PUT /api/v1/announcements/{id}/reactions/{name}", "write:accounts", "feature.announcements"],
  ["DELETE /api/v1/announcements/{id}/reactions/{name}", "write:accounts", "feature.announcements"],
  ["POST /api/v1/notifications/requests/accept", "write:notifications", "feature.heldBack"],
  ["POST /api/v1/notifications/requests/dismiss", "write:notifications", "feature.heldBack"],
  ["POST /api/v1/notifications/requests/{id}/accept", "write:notifications", "feature.heldBack"],
  ["POST /api/v1/notifications/requests/{id}/dismiss", "write:notifications", "feature.heldBack"],
  ["DELETE /api/v1/suggestions/{id}", "write:accounts", "feature.suggestions"],
  ["POST /api/v1/emails/confirmations", "write:accounts", "feature.mails"],
  ["POST /api/v1/annual_reports/{year}/read", "write:accounts", "feature.annualReports"],
];

/**
 * What Suzume does not support, where an empty answer would not be true: a sentence, as "not found" would be taken for
 * a fault.
 */
export const refusedEndpoints: readonly Endpoint[] = refused.map(([route, scope, problem]) =>
  endpoint(route, "Always refused (422)", {
    access: needs(scope),
    handle() {
      throw new Invalid({ form: problem });
    },
  }),
);

const noRequests = {
  summary: { pending_requests_count: 0, pending_notifications_count: 0 },
} as const;
const groups = {
  for_not_following: "accept",
  for_not_followers: "accept",
  for_new_accounts: "accept",
  for_private_mentions: "accept",
  for_limited_accounts: "accept",
} as const;
const oldGroups = {
  filter_not_following: false,
  filter_not_followers: false,
  filter_new_accounts: false,
  filter_private_mentions: false,
} as const;

/**
 * The policy for notifications of strangers: all are accepted, so none are held back until they are requested. To be
 * mounted before the endpoints of single notifications, whose ids stand in the same place.
 */
export const notificationPolicyEndpoints: readonly Endpoint[] = [
  ...policy("v2", groups, "NotificationPolicy", [
    ["GET", "All notifications are accepted"],
    ["PATCH", "Anything but accepting is refused"],
  ]),
  ...policy("v1", oldGroups, "OldNotificationPolicy", [
    ["GET", "The same, as older apps ask for it"],
    ["PUT", "Holding anything back is refused"],
    ["PATCH", "Holding anything back is refused"],
  ]),
  endpoint("GET /api/v1/notifications/requests", "Always empty", {
    access: needs("read:notifications"),
    answer: emptyList,
    handle: () => [],
  }),
  endpoint("GET /api/v1/notifications/requests/merged", "Whether accepted requests are merged", {
    access: needs("read:notifications"),
    answer: z.strictObject({ merged: z.literal(true) }),
    handle: () => ({ merged: true as const }),
  }),
];

/** Endpoints of a policy by which each group has its only value; changing it to that changes nothing. */
function policy(
  version: "v1" | "v2",
  values: Readonly<Record<string, string | boolean>>,
  name: string,
  methods: [method: "GET" | "PUT" | "PATCH", summary: string][],
): Endpoint[] {
  const policyFields = { ...values, ...noRequests };
  const answer = entity(name, constants(policyFields));
  const wishes = Object.entries(values).map(
    ([field, value]) => [field, only("notifications.policy", value)] as const,
  );
  const body = z.object(Object.fromEntries(wishes));
  return methods.map(([method, summary]) =>
    endpoint(`${method} /api/${version}/notifications/policy`, summary, {
      ...(method === "GET"
        ? { access: needs("read:notifications") }
        : { access: needs("write:notifications"), body, counts: "profile" as const }),
      answer,
      handle: () => policyFields,
    }),
  );
}
