import { z } from "zod";
import { emptyList, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { constants } from "./entities/parts.ts";
import { only } from "./input.ts";

const reads = needs("read:notifications");
const writes = needs("write:notifications");

const summary = { pending_requests_count: 0, pending_notifications_count: 0 } as const;
const groups = [
  "for_not_following",
  "for_not_followers",
  "for_new_accounts",
  "for_private_mentions",
  "for_limited_accounts",
] as const;
const policy = { ...each(groups, "accept" as const), summary };
const Policy = z.strictObject(constants(policy)).meta({ id: "NotificationPolicy" });

const oldGroups = [
  "filter_not_following",
  "filter_not_followers",
  "filter_new_accounts",
  "filter_private_mentions",
] as const;
const oldPolicy = { ...each(oldGroups, false as const), summary };
const OldPolicy = z.strictObject(constants(oldPolicy)).meta({ id: "OldNotificationPolicy" });

/**
 * The policy for notifications of strangers: all are accepted, so none are held back until they are requested. To be
 * mounted before the endpoints of single notifications, whose ids stand in the same place.
 */
export const notificationPolicyEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v2/notifications/policy", "All notifications are accepted", {
    access: reads,
    answer: Policy,
    handle: () => policy,
  }),
  endpoint("PATCH /api/v2/notifications/policy", "Anything but accepting is refused", {
    access: writes,
    body: z.object(each(groups, only("notifications.policy", "accept"))),
    answer: Policy,
    counts: "profile",
    handle: () => policy,
  }),
  endpoint("GET /api/v1/notifications/policy", "The same, as older apps ask for it", {
    access: reads,
    answer: OldPolicy,
    handle: () => oldPolicy,
  }),
  ...(["PUT", "PATCH"] as const).map((method) =>
    endpoint(`${method} /api/v1/notifications/policy`, "Holding anything back is refused", {
      access: writes,
      body: z.object(each(oldGroups, only("notifications.policy", false))),
      answer: OldPolicy,
      counts: "profile",
      handle: () => oldPolicy,
    }),
  ),
  endpoint("GET /api/v1/notifications/requests", "Always empty", {
    access: reads,
    answer: emptyList,
    handle: () => [],
  }),
  endpoint("GET /api/v1/notifications/requests/merged", "Whether accepted requests are merged", {
    access: reads,
    answer: z.strictObject({ merged: z.literal(true) }),
    handle: () => ({ merged: true as const }),
  }),
];

/** An object with `value` under each name. */
function each<Name extends string, Value>(
  names: readonly Name[],
  value: Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;
}
