import { Invalid } from "../../domain/errors.ts";
import type { Problem } from "../../domain/problems.ts";
import { emptyObject, type Endpoint, endpoint, needs } from "./endpoint.ts";

type Route = Parameters<typeof endpoint>[0];

const writesStatuses = needs("write:statuses");
const writesAccounts = needs("write:accounts");
const writesFollows = needs("write:follows");

/** What only Mastodon has, with the sentence for an app that asks for it. */
const refused: [problem: Problem, access: typeof writesStatuses, ...routes: Route[]][] = [
  ["status.poll", writesStatuses, "POST /api/v1/polls/{id}/votes"],
  [
    "status.scheduled",
    writesStatuses,
    "PUT /api/v1/scheduled_statuses/{id}",
    "DELETE /api/v1/scheduled_statuses/{id}",
  ],
  ["filter.statuses", needs("write:filters"), "POST /api/v2/filters/{id}/statuses"],
  ["feature.translation", needs("read:statuses"), "POST /api/v1/statuses/{id}/translate"],
  ["feature.quotes", writesStatuses, "PUT /api/v1/statuses/{id}/interaction_policy"],
  [
    "feature.conversations",
    needs("write:conversations"),
    "DELETE /api/v1/conversations/{id}",
    "POST /api/v1/conversations/{id}/read",
  ],
  [
    "feature.requests",
    writesFollows,
    "POST /api/v1/follow_requests/{id}/authorize",
    "POST /api/v1/follow_requests/{id}/reject",
  ],
  [
    "feature.endorsements",
    writesAccounts,
    "POST /api/v1/accounts/{id}/pin",
    "POST /api/v1/accounts/{id}/unpin",
    "POST /api/v1/accounts/{id}/endorse",
    "POST /api/v1/accounts/{id}/unendorse",
  ],
  ["feature.notes", writesAccounts, "POST /api/v1/accounts/{id}/note"],
  [
    "feature.featuredTags",
    writesAccounts,
    "POST /api/v1/featured_tags",
    "DELETE /api/v1/featured_tags/{id}",
    "POST /api/v1/tags/{tag}/feature",
    "POST /api/v1/tags/{tag}/unfeature",
  ],
  [
    "feature.servers",
    needs("write:blocks"),
    "POST /api/v1/domain_blocks",
    "DELETE /api/v1/domain_blocks",
  ],
];

/** Writes that Suzume does not support: a sentence, as "not found" would be taken for a fault. */
export const refusedEndpoints: readonly Endpoint[] = refused.flatMap(
  ([problem, access, ...routes]) =>
    routes.map((route) =>
      endpoint(route, "Always refused (422)", {
        access,
        answer: emptyObject,
        handle() {
          throw new Invalid({ form: problem });
        },
      }),
    ),
);
