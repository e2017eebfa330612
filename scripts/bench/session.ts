import { createHmac, randomUUID } from "node:crypto";
import { parseScopes } from "../../src/domain/apps/scopes.ts";
import { newToken, storeToken } from "../../src/domain/apps/tokens.ts";
import { parseClientId, type UserId } from "../../src/domain/ids.ts";
import { idleSeconds, openSession, sessionPrefix } from "../../src/domain/users/sessions.ts";
import { type Lab, settings } from "./lab.ts";

/** The cookie of a session, without the log-in, which would spend hours on passwords. */
export async function sessionOf({ ctx }: Lab, user: UserId): Promise<string> {
  const session = randomUUID();
  const data = { cookie: { originalMaxAge: idleSeconds * 1000 }, user, seenAt: ctx.now() };
  await openSession(ctx, user, session);
  await ctx.redis.set(sessionPrefix + session, JSON.stringify(data), "EX", idleSeconds);
  const seal = createHmac("sha256", settings.SESSION_SECRET).update(session).digest("base64");
  return `suzume=${encodeURIComponent(`s:${session}.${seal.replace(/=+$/, "")}`)}`;
}

/** A token of an app that may read, or what `allowed` says. */
export async function tokenOf({ ctx }: Lab, user: UserId, allowed = "read"): Promise<string> {
  const app = parseClientId("bench".padEnd(32, "-"));
  const scopes = parseScopes(allowed);
  if (app === undefined || scopes === undefined) throw new Error("no app");
  const { token, location } = newToken({ app, user });
  await storeToken(ctx, location, { app, scopes });
  return token;
}
