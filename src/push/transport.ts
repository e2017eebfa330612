import { lookup } from "node:dns";
import { type ClientRequest, request as requestHttp } from "node:http";
import { Agent, request as requestHttps } from "node:https";
import webPush from "web-push";
import type { Ctx } from "../context.ts";
import { parseEndpoint, vapidKeys } from "../domain/push/endpoints.ts";
import type { Subscription } from "../domain/push/subscriptions.ts";
import { contactOf, readSite } from "../domain/site/settings.ts";
import { NotPublic, publicLookup, type ResolveName } from "../fetch/public-lookup.ts";

/** Milliseconds until a push service must have answered: for that long it holds a place in the queue. */
const patience = 5000;
/** Seconds for which a push service keeps a push for a device that is off. */
const keptSeconds = 48 * 60 * 60;

/**
 * "gone": the subscription has ended. "later": certainly not taken, may be tried again. "refused": not taken, and
 * trying again is no use. "unknown": it may have been taken, or the push service was silent.
 */
export type Outcome = "sent" | "gone" | "later" | "refused" | "unknown";

/** Each connection is new: an old one may be closed just then, and nothing would tell whether it took the push. */
const agent = new Agent({ keepAlive: false, maxSockets: 10 });

/** Encrypts a text for a device and gives it to its push service. Never throws because of the push service. */
export async function sendPush(
  ctx: Ctx,
  to: Subscription,
  text: string,
  resolveName: ResolveName = lookup,
): Promise<Outcome> {
  const url = parseEndpoint(ctx.config, to.endpoint);
  if (url === undefined) return "refused";
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint: url.href, keys: { p256dh: to.p256dh, auth: to.auth } },
    text,
    {
      TTL: keptSeconds,
      contentEncoding: to.standard ? "aes128gcm" : "aesgcm",
      vapidDetails: { subject: await contact(ctx), ...vapidKeys(ctx.config) },
    },
  );
  const options = {
    method: "POST",
    headers,
    lookup: publicLookup(ctx, resolveName),
    signal: AbortSignal.timeout(patience),
  };
  const request =
    url.protocol === "https:"
      ? requestHttps(url, { ...options, agent })
      : requestHttp(url, { ...options, agent: false });
  return await outcomeOf(request, body);
}

/** Push services want to know where to ask. */
async function contact(ctx: Ctx): Promise<string> {
  const address = contactOf(ctx, await readSite(ctx)) ?? ctx.config.baseUrl ?? "";
  return /^(https|mailto):/.test(address) ? address : "mailto:nobody@suzume.invalid";
}

/** Only the status counts; what the push service says besides is not read. Redirects are not followed. */
async function outcomeOf(request: ClientRequest, body: Buffer | null): Promise<Outcome> {
  let isConnected = false;
  request.on("socket", (socket) => {
    const event = "encrypted" in socket ? "secureConnect" : "connect";
    socket.once(event, () => void (isConnected = true));
  });
  return await new Promise((resolve) => {
    request.on("response", (response) => {
      resolve(meaningOf(response.statusCode ?? 0));
      response.destroy();
    });
    request.on("error", (error) => {
      if (error instanceof NotPublic) resolve("refused");
      // Its own timeout, in any state: who stays silent is not asked again.
      else resolve(isConnected || error.name === "AbortError" ? "unknown" : "later");
    });
    request.end(body);
  });
}

function meaningOf(status: number): Outcome {
  if (status >= 200 && status < 300) return "sent";
  if (status === 404 || status === 410) return "gone";
  return status === 429 || status >= 500 ? "later" : "refused";
}
