import type { Consent } from "../../domain/apps/codes.ts";
import { outOfBand } from "../../domain/apps/redirect-uris.ts";
import { parseScopes } from "../../domain/apps/scopes.ts";
import type { App } from "../../domain/apps/store.ts";
import { type Authorization, authorizeAction, authorizePath } from "../forms/authorize.ts";
import type { Translator } from "../languages/translator.ts";
import { presentScopes } from "./scopes.ts";

/** What a user must know before authorizing an app. */
export function presentConsent(
  words: Translator,
  app: App,
  wanted: Authorization,
  consent: Consent,
) {
  const name = { name: app.name };
  const website = presentWebsite(app);
  const place = destinationOf(words, consent.redirectUri);
  return {
    heading: words.pieces("apps.letIn", { app: name }),
    wants:
      website === undefined
        ? words.pieces("apps.wants", { app: name })
        : words.pieces("apps.wantsFrom", { app: name, website }),
    scopes: presentScopes(words, parseScopes(consent.scopes) ?? new Set()),
    goesTo: place && words.pieces("apps.goesTo", { place: { name: place } }),
    form: { action: authorizeAction, hidden: wanted.fields },
    otherUrl: withLogIn(wanted),
  };
}

/** Website that the app claims; it is not verified. */
export function presentWebsite({ website }: App): { outward: string; text: string } | undefined {
  return website === "" ? undefined : { outward: website, text: new URL(website).host };
}

/** Where the user goes afterwards, in a few words; undefined if they stay on this site. */
function destinationOf(words: Translator, uri: string): string | undefined {
  if (uri === outOfBand) return undefined;
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? host : words.t("apps.onDevice", { protocol });
}

/** Log-in page, also for signed-in users, which leads back to the app's request. */
export function withLogIn(wanted: Authorization): string {
  return `/login?again&next=${encodeURIComponent(authorizePath(wanted))}`;
}
