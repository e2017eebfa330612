import type { Ctx } from "../../context.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { type App, findApps } from "../../domain/apps/store.ts";
import { type Grant, listGrants } from "../../domain/apps/tokens.ts";
import { stampToDate } from "../../domain/stamp.ts";
import type { User } from "../../domain/users/store.ts";
import { endAppForm } from "../forms/settings.ts";
import type { Translator } from "../languages/translator.ts";
import { presentWebsite } from "./consent.ts";
import { presentScopes } from "./scopes.ts";
import { presentDay } from "./time.ts";

/** Apps authorized by the user, the last used first, with forms to revoke them. */
export async function presentApps(ctx: Ctx, words: Translator, { id, generation }: User) {
  const all = await listGrants(ctx, id);
  const grants = all.filter((grant) => grant.generation === generation);
  const apps = await findApps(
    ctx,
    grants.map((grant) => grant.app),
  );
  const views = [...apps.values()].map((app) => {
    const ofApp = grants.filter((grant) => grant.app === app.client);
    return presentApp(words, app, ofApp);
  });
  return { apps: views.toSorted((one, other) => other.usedAt - one.usedAt) };
}

function presentApp(words: Translator, app: App, grants: Grant[]) {
  const since = Math.min(...grants.map((grant) => grant.createdAt));
  const usedAt = Math.max(...grants.map((grant) => grant.usedAt));
  const scopes = new Set<Scope>(grants.flatMap((grant) => [...grant.scopes]));
  return {
    id: app.id,
    name: app.name,
    website: presentWebsite(app),
    scopes: presentScopes(words, scopes),
    since: words.pieces("apps.since", {
      since: dayOf(words, since),
      used: dayOf(words, usedAt),
    }),
    usedAt,
    endForm: { action: endAppForm.action, hidden: [{ name: "app", value: app.client }] },
  };
}

/** Day only: the use of a token is noted once a day. */
function dayOf(words: Translator, stamp: number): { iso: string; text: string } {
  const iso = stampToDate(stamp).toISOString().slice(0, 10);
  return { iso, text: presentDay(words, stamp) };
}
