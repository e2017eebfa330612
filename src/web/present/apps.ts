import type { Ctx } from "../../context.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { type App, findApps } from "../../domain/apps/store.ts";
import { type Grant, listGrants } from "../../domain/apps/tokens.ts";
import type { UserId } from "../../domain/ids.ts";
import { endAppForm } from "../forms/settings.ts";
import { presentWebsite } from "./consent.ts";
import { presentScopes } from "./scopes.ts";
import { presentDay, presentTime } from "./time.ts";

/** The apps that somebody has let in, the one used last first, and the forms that end that. */
export async function presentApps(ctx: Ctx, user: UserId) {
  const grants = await listGrants(ctx, user);
  const apps = await findApps(
    ctx,
    grants.map((grant) => grant.app),
  );
  const views = [...apps.values()].map((app) => {
    const ofApp = grants.filter((grant) => grant.app === app.client);
    return presentApp(ctx, app, ofApp);
  });
  return { apps: views.toSorted((one, other) => other.usedAt - one.usedAt) };
}

function presentApp(ctx: Ctx, app: App, grants: Grant[]) {
  const since = Math.min(...grants.map((grant) => grant.createdAt));
  const usedAt = Math.max(...grants.map((grant) => grant.usedAt));
  const scopes = new Set<Scope>(grants.flatMap((grant) => [...grant.scopes]));
  return {
    id: app.id,
    name: app.name,
    website: presentWebsite(app),
    scopes: presentScopes(scopes),
    since: dayOf(ctx, since),
    used: dayOf(ctx, usedAt),
    usedAt,
    endForm: { action: endAppForm.action, hidden: [{ name: "app", value: app.client }] },
  };
}

/** No finer than it is known: a token's use is noted once a day. */
function dayOf(ctx: Ctx, stamp: number): { iso: string; text: string } {
  return { iso: presentTime(stamp, ctx.now()).isoTime.slice(0, 10), text: presentDay(stamp) };
}
