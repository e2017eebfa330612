import type { Consent } from "../../domain/apps/codes.ts";
import { outOfBand } from "../../domain/apps/redirect-uris.ts";
import { parseScopes } from "../../domain/apps/scopes.ts";
import type { App } from "../../domain/apps/store.ts";
import { type Authorization, authorizeAction, authorizePath } from "../forms/authorize.ts";
import { presentScopes } from "./scopes.ts";

/** What somebody has to know before they let an app in. */
export function presentConsent(app: App, wanted: Authorization, consent: Consent) {
  return {
    app: app.name,
    website: presentWebsite(app),
    scopes: presentScopes(parseScopes(consent.scopes) ?? new Set()),
    goesTo: destinationOf(consent.redirectUri),
    form: { action: authorizeAction, hidden: wanted.fields },
    otherUrl: withLogIn(wanted),
  };
}

/** The app says that this is its website; anybody can say so. */
export function presentWebsite({ website }: App): { href: string; host: string } | undefined {
  return website === "" ? undefined : { href: website, host: new URL(website).host };
}

/** Where people go afterwards, in few words; undefined if they stay. */
function destinationOf(uri: string): string | undefined {
  if (uri === outOfBand) return undefined;
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : `an app on this device (${protocol})`;
}

/** The log-in page, for whoever is signed in as well, and from there back to what the app asked for. */
export function withLogIn(wanted: Authorization): string {
  return `/login?again&next=${encodeURIComponent(authorizePath(wanted))}`;
}
