import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { suggestPeople } from "../../domain/graph/suggestions.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { siteOrigin } from "../send-public.ts";
import { type Endpoint, endpoint, many, needs } from "./endpoint.ts";
import { presentAccounts } from "./entities/account.ts";
import { accountLimits, limited } from "./paging.ts";
import { sendJsonList } from "./send.ts";

const part = z.object({ limit: limited(accountLimits) });

/** Users followed by many of the viewer's followings. */
export const suggestionEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v1/suggestions",
    summary: "Accounts that the user might want to follow",
    access: needs("read:accounts"),
    query: part,
    answer: many("Account"),
    async handle({ ctx, req, res, viewer, query }) {
      sendJsonList(res, await suggested(ctx, viewer, query.limit, siteOrigin(ctx, req)));
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v2/suggestions",
    summary: "The same, and why",
    access: needs("read:accounts"),
    query: part,
    answer: many("Suggestion"),
    async handle({ ctx, req, res, viewer, query }) {
      const accounts = await suggested(ctx, viewer, query.limit, siteOrigin(ctx, req));
      // The first word is what older apps know.
      const reason = `"source":"past_interactions","sources":["friends_of_friends"]`;
      sendJsonList(
        res,
        accounts.map((account) => `{${reason},"account":${account}}`),
      );
    },
  }),
];

async function suggested(ctx: Ctx, viewer: User, limit: number, site: string): Promise<string[]> {
  const found = await suggestPeople(ctx, viewer, limit);
  const users = await findUsers(
    ctx,
    found.map(({ id }) => id),
  );
  return await presentAccounts(ctx, site, [...users.values()]);
}
