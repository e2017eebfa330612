import { z } from "zod";
import type { Scope } from "../../domain/apps/scopes.ts";
import { Invalid, NotFound } from "../../domain/errors.ts";
import { findUsers } from "../../domain/users/store.ts";
import { personOf } from "./account-param.ts";
import { idsIn } from "./accounts.ts";
import { emptyList, emptyObject, type Endpoint, endpoint, knows, needs } from "./endpoint.ts";
import { texts } from "./input.ts";

const forAnybody = ["/api/v1/custom_emojis", "/api/v1/trends/links", "/api/v1/trends/statuses"];
const forViewers: [path: string, scope: Scope][] = [
  ["/api/v1/announcements", "read:accounts"],
  ["/api/v1/conversations", "read:statuses"],
  ["/api/v1/domain_blocks", "read:blocks"],
  ["/api/v1/endorsements", "read:accounts"],
  ["/api/v1/featured_tags", "read:accounts"],
  ["/api/v1/featured_tags/suggestions", "read:accounts"],
  ["/api/v1/filters", "read:filters"],
  ["/api/v2/filters", "read:filters"],
  ["/api/v1/follow_requests", "read:follows"],
  ["/api/v1/followed_tags", "read:follows"],
  ["/api/v1/lists", "read:lists"],
  ["/api/v1/scheduled_statuses", "read:statuses"],
];

/** Unsupported features return empty results, so that apps show nothing in their place instead of an error. */
export const unsupportedEndpoints: readonly Endpoint[] = [
  ...forAnybody.map((path) =>
    endpoint({
      method: "get",
      path,
      summary: "Always empty",
      access: "anybody",
      answer: emptyList,
      handle: ({ res }) => void res.json([]),
    }),
  ),
  ...forViewers.map(([path, scope]) =>
    endpoint({
      method: "get",
      path,
      summary: "Always empty",
      access: needs(scope),
      answer: emptyList,
      handle: ({ res }) => void res.json([]),
    }),
  ),
  endpoint({
    method: "get",
    path: "/api/v1/accounts/familiar_followers",
    summary: "Answers empty lists",
    access: needs("read:follows"),
    query: z.object({ id: texts }),
    answer: { schema: z.array(z.strictObject({ id: z.string(), accounts: z.tuple([]) })) },
    async handle({ ctx, res, query }) {
      const users = await findUsers(ctx, idsIn(query.id));
      res.json([...users.keys()].map((id) => ({ id, accounts: [] })));
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/accounts/{id}/lists",
    summary: "Always empty",
    access: needs("read:lists"),
    answer: emptyList,
    async handle({ ctx, req, res }) {
      await personOf(ctx, req);
      res.json([]);
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/accounts/{id}/featured_tags",
    summary: "Always empty",
    access: knows("read:accounts"),
    answer: emptyList,
    async handle({ ctx, req, res }) {
      await personOf(ctx, req);
      res.json([]);
    },
  }),
  // Apps send pictures before the status that shows them.
  ...["/api/v1/media", "/api/v2/media"].map((path) =>
    endpoint({
      method: "post",
      path,
      summary: "There are no pictures in tweets: always 422",
      access: needs("write:media"),
      answer: emptyObject,
      handle() {
        throw new Invalid({ file: "status.media" });
      },
    }),
  ),
  // Mastodon's answer, too, where there is none.
  endpoint({
    method: "get",
    path: "/api/v1/push/subscription",
    summary: "There is none: always 404",
    access: needs("push"),
    answer: emptyList,
    handle() {
      throw new NotFound("subscription");
    },
  }),
];
