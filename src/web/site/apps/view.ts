import type { Ctx } from "../../../context.ts";
import type { Consent } from "../../../domain/apps/authorize.ts";
import { outOfBand, type App, findApps } from "../../../domain/apps/store.ts";
import { parseScopes, type Scope, type Scopes } from "../../../domain/apps/scopes.ts";
import { type Grant, listGrants } from "../../../domain/apps/tokens.ts";
import { stampToDate } from "../../../domain/ids.ts";
import { type Authorization, authorizeAction, authorizePath } from "./form.ts";
import type { Key, SignedInReader, Translator } from "../../languages/translator.ts";
import { presentName } from "../../layout/people.ts";
import { presentDay } from "../../layout/time.ts";

/** What a user must know before authorizing an app. */
export function presentConsent(
  { viewer, words }: SignedInReader,
  app: App,
  wanted: Authorization,
  consent: Consent,
) {
  const name = { name: app.name };
  const website = presentWebsite(app);
  const destination = destinationOf(words, consent.redirectUri);
  return {
    title: words.t("apps.letIn", { app: app.name }),
    heading: words.pieces("apps.letIn", { app: name }),
    person: words.pieces("apps.youAre", { person: { person: presentName(viewer) } }),
    wants:
      website === undefined
        ? words.pieces("apps.wants", { app: name })
        : words.pieces("apps.wantsFrom", { app: name, website }),
    scopes: presentScopes(words, parseScopes(consent.scopes) ?? new Set()),
    goesTo: destination && words.pieces("apps.goesTo", { place: { name: destination } }),
    form: { action: authorizeAction, hidden: wanted.fields },
    otherUrl: withLogIn(wanted),
  };
}

/** Website that the app claims; it is not verified. */
function presentWebsite({ website }: App): { outward: string; text: string } | undefined {
  return website === "" ? undefined : { outward: website, text: new URL(website).host };
}

/** Where the user goes afterwards, in a few words; undefined if they stay on this site. */
function destinationOf(words: Translator, uri: string): string | undefined {
  if (uri === outOfBand) return undefined;
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : words.t("apps.onDevice", { protocol });
}

/** What an app may do with these scopes, in words. Leaves out scopes that another one includes. */
export function presentScopes(words: Translator, scopes: Scopes): string[] {
  const shown = [...scopes].filter((scope) => {
    // These two scopes together include it.
    if (scope === "follow") return !(scopes.has("read") && scopes.has("write"));
    const [group = "", part] = scope.split(":");
    return part === undefined || !scopes.has(group as Scope);
  });
  return shown.map((scope) => words.t(`scope.${scope}`));
}

/** Log-in page, also for signed-in users, which leads back to the app's request. */
export function withLogIn(wanted: Authorization): string {
  return `/login?again&next=${encodeURIComponent(authorizePath(wanted))}`;
}

/** Answer to an app's request. */
export type AppAnswer = { code: string } | { error: string };

/** An answer for an app without an address, or one to which the user is not redirected: `back`. */
export function presentAnswer(words: Translator, { name }: App, answer: AppAnswer, back?: string) {
  return { title: name, ...answer, back, sentence: words.pieces(keyOf(answer), { app: { name } }) };
}

function keyOf(answer: AppAnswer): Key {
  if ("code" in answer) return "apps.copyCode";
  return answer.error === "access_denied" ? "apps.denied" : "apps.impossible";
}

/** Apps authorized by the user, the last used first, with forms to revoke them. */
export async function presentApps(ctx: Ctx, { viewer, words }: SignedInReader) {
  const all = await listGrants(ctx, viewer.id);
  const grants = all.filter(({ generation }) => generation === viewer.generation);
  const clients = grants.map(({ app }) => app);
  const apps = await findApps(ctx, clients);
  const views = [...apps.values()].map((app) => presentApp(words, app, grants));
  return views.toSorted((one, other) => other.usedAt - one.usedAt);
}

function presentApp(words: Translator, app: App, all: Grant[]) {
  const grants = all.filter((grant) => grant.app === app.client);
  const since = Math.min(...grants.map(({ createdAt }) => createdAt));
  const usedAt = Math.max(...grants.map((grant) => grant.usedAt));
  const scopes = new Set<Scope>(grants.flatMap((grant) => [...grant.scopes]));
  return {
    name: app.name,
    website: presentWebsite(app),
    scopes: presentScopes(words, scopes),
    since: words.pieces("apps.since", { since: dayOf(words, since), used: dayOf(words, usedAt) }),
    usedAt,
    client: app.client,
  };
}

/** Day only: the use of a token is noted once a day. */
function dayOf(words: Translator, stamp: number): { iso: string; text: string } {
  const iso = stampToDate(stamp).toISOString().slice(0, 10);
  return { iso, text: presentDay(words, stamp) };
}
