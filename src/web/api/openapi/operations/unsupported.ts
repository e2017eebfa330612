import { emptyList, emptyObject, needs, type Operation } from "../operation.ts";

const anybodys = ["/api/v1/custom_emojis", "/api/v1/trends/links", "/api/v1/trends/statuses"];
const owners = {
  "/api/v1/announcements": "read:accounts",
  "/api/v1/conversations": "read:statuses",
  "/api/v1/domain_blocks": "read:blocks",
  "/api/v1/endorsements": "read:accounts",
  "/api/v1/featured_tags": "read:accounts",
  "/api/v1/featured_tags/suggestions": "read:accounts",
  "/api/v1/filters": "read:filters",
  "/api/v2/filters": "read:filters",
  "/api/v1/follow_requests": "read:follows",
  "/api/v1/followed_tags": "read:follows",
  "/api/v1/lists": "read:lists",
  "/api/v1/scheduled_statuses": "read:statuses",
};

/** What Suzume does not have answers empty, so that apps show nothing in its place. */
export const nothingOperations: readonly Operation[] = [
  ...anybodys.map((path) => nothing(path, "anybody")),
  ...Object.entries(owners).map(([path, scope]) => nothing(path, needs(scope))),
  {
    method: "get",
    path: "/api/v1/push/subscription",
    summary: "There is none: always 404",
    access: needs("push"),
    answer: emptyList,
  },
  ...["/api/v1/media", "/api/v2/media"].map((path): Operation => ({
    method: "post",
    path,
    summary: "There are no pictures in tweets: always 422",
    access: needs("write:media"),
    answer: emptyObject,
  })),
];

function nothing(path: string, access: Operation["access"]): Operation {
  return { method: "get", path, summary: "Always empty", access, answer: emptyList };
}
