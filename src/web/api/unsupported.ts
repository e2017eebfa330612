import { z } from "zod";
import { findUsers } from "../../domain/users/store.ts";
import { accountIds, getAccount } from "./account-param.ts";
import {
  type Access,
  emptyList,
  emptyObject,
  type Endpoint,
  endpoint,
  knows,
  needs,
} from "./endpoint.ts";
import { constants } from "./entities/parts.ts";

const lists: [path: string, access: Access][] = [
  ["v1/custom_emojis", "anybody"],
  ["v1/instance/activity", "anybody"],
  ["v1/instance/domain_blocks", "anybody"],
  ["v1/instance/peers", "anybody"],
  ["v1/trends/links", "anybody"],
  ["v1/trends/statuses", "anybody"],
  ["v1/announcements", needs("read:accounts")],
  ["v1/conversations", needs("read:statuses")],
  ["v1/domain_blocks", needs("read:blocks")],
  ["v1/endorsements", needs("read:accounts")],
  ["v1/featured_tags", needs("read:accounts")],
  ["v1/featured_tags/suggestions", needs("read:accounts")],
  ["v1/follow_requests", needs("read:follows")],
  ["v1/scheduled_statuses", needs("read:statuses")],
  ["v1/accounts/{id}/endorsements", knows("read:accounts")],
  ["v1/accounts/{id}/featured_tags", knows("read:accounts")],
  ["v1/accounts/{id}/identity_proofs", knows("read:accounts")],
  // Trending links and other servers: there are none.
  ["v1/timelines/link", knows("read:statuses")],
  ["v1/peers/search", "anybody"],
];

const FamiliarFollowers = z
  .strictObject({ id: z.string(), accounts: emptyList })
  .meta({ id: "FamiliarFollowers" });
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
    answer: emptyObject,
    handle: () => ({}),
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
