import { z } from "zod";
import { locateToken } from "../../domain/apps/tokens.ts";
import { InvalidToken, required } from "../../domain/errors.ts";
import {
  type Alert,
  alerts,
  type ChoiceEdit,
  policies,
  changeSubscription,
  endSubscription,
  findSubscription,
  subscribe,
} from "../../domain/push/subscriptions.ts";
import { vapidKeys } from "../../domain/push/endpoints.ts";
import type { User } from "../../domain/users/store.ts";
import { grantOf, tokenOf } from "./bearer.ts";
import { type ApiRequest, type Endpoint, scoped } from "./endpoint.ts";
import { flag, needed } from "./input.ts";
import { entity } from "./entities/fields.ts";

/** An object with the result of `one` for each alert. */
function eachAlert<Value>(one: (name: Alert) => Value): Record<Alert, Value> {
  return Object.fromEntries(alerts.map((name) => [name, one(name)])) as Record<Alert, Value>;
}

const WebPushSubscription = entity("WebPushSubscription", {
  id: z.int(),
  endpoint: z.string(),
  standard: z.boolean(),
  alerts: z.strictObject(eachAlert(() => z.boolean())),
  policy: z.enum(policies),
  server_key: z.string(),
});

const policy = z.enum(policies).optional();
const data = z.object({ alerts: z.object(eachAlert(() => flag)).optional(), policy }).optional();
const choice = z.object({ data, policy: policy.describe("Counts if data[policy] is missing.") });
const subscription = z.object({
  endpoint: needed.describe("An https address at a push service, on the public internet."),
  keys: z.object({ p256dh: needed, auth: needed }),
  standard: flag.describe("Encrypted as aes128gcm (RFC 8291) instead of aesgcm; default: false."),
});
const names = {
  endpoint: "subscription[endpoint]",
  p256dh: "subscription[keys][p256dh]",
  auth: "subscription[keys][auth]",
};

const ofToken = scoped("push", "push", holderOf);

/** The pushes of an app: each of its tokens has one subscription at most, which ends with the token. */
export const pushEndpoints: readonly Endpoint[] = [
  ofToken("POST /api/v1/push/subscription", "Subscribe to pushes", {
    body: z.object({ subscription, ...choice.shape }),
    answer: WebPushSubscription,
    counts: "push",
    names,
    async handle(request, holder) {
      const { ctx, viewer, body } = request;
      const { keys, endpoint: address, standard = false } = body.subscription;
      const { alerts: chosen, policy: whose = "all" } = choiceOf(body);
      const what = { alerts: chosen, policy: whose };
      await subscribe(ctx, viewer, holder, { endpoint: address, ...keys, standard, ...what });
      return await present(request, holder);
    },
  }),
  ofToken("GET /api/v1/push/subscription", "The subscription of the token", {
    answer: WebPushSubscription,
    handle: present,
  }),
  ofToken("PUT /api/v1/push/subscription", "Change what is pushed", {
    body: choice,
    answer: WebPushSubscription,
    counts: "push",
    async handle(request, holder) {
      const { ctx, viewer, body } = request;
      await changeSubscription(ctx, viewer, holder.id, choiceOf(body));
      return await present(request, holder);
    },
  }),
  ofToken("DELETE /api/v1/push/subscription", "End the subscription", {
    handle: ({ ctx, viewer }, { id: holder }) => endSubscription(ctx, viewer, holder),
  }),
];

/** The token, which has the subscription. Throws InvalidToken. */
function holderOf({ req, res }: Pick<ApiRequest, "req" | "res">) {
  const token = tokenOf(req) ?? "";
  const digest = locateToken(token)?.field;
  const grant = grantOf(res);
  if (digest === undefined || grant === undefined) throw new InvalidToken("token");
  return { by: "app" as const, id: digest, app: grant.app, token };
}

/** As in Mastodon, an alert that is not named is off. */
function choiceOf({ data: given, policy: beside }: z.output<typeof choice>): ChoiceEdit {
  const wanted = alerts.filter((name) => given?.alerts?.[name] === true);
  return { alerts: new Set(wanted), policy: given?.policy ?? beside };
}

/** Throws NotFound. */
async function present({ ctx, viewer }: ApiRequest<User>, { id: holder }: { id: string }) {
  const stored = required(await findSubscription(ctx, viewer, holder), "subscription");
  return {
    // Seconds: apps read a number of 32 bits.
    id: Math.floor(stored.createdAt / 1e6),
    endpoint: stored.endpoint,
    standard: stored.standard,
    alerts: eachAlert((name) => stored.alerts.has(name)),
    policy: stored.policy,
    server_key: vapidKeys(ctx.config).publicKey,
  } satisfies z.output<typeof WebPushSubscription>;
}
