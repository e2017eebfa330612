import type { Ctx } from "../../context.ts";
import { hasMail } from "../../domain/accounts/mails.ts";
import { listStaff } from "../../domain/moderation/staff.ts";
import { contactOf, defaultName, type SiteSettings } from "../../domain/site/settings.ts";
import { absoluteSeconds, idleSeconds } from "../../domain/users/sessions.ts";
import { isAdmin } from "../../domain/users/roles.ts";
import type { Translator } from "../languages/translator.ts";
import { presentParagraphs } from "./face.ts";
import { linesOf } from "./joining.ts";
import { presentName } from "./people.ts";

const day = 24 * 60 * 60;

/** What the site is, who runs it, and with which software. */
export async function presentAbout(
  ctx: Ctx,
  words: Translator,
  site: SiteSettings,
  version: string,
) {
  const { sourceUrl } = ctx.config;
  const contact = contactOf(ctx, site);
  const own = presentParagraphs(site.description);
  return {
    title: words.t("nav.about"),
    heading: site.name === defaultName ? words.t("about.what") : site.name,
    tagline: site.tagline,
    paragraphs: own.length > 0 ? own : [[{ text: words.t("about.purpose") }]],
    rules: linesOf(site.rules),
    admins: await presentAdmins(ctx),
    contact: contact && words.pieces("about.writeTo", { contact: presentContact(contact) }),
    software: words.pieces("about.suzume", { bird: { lang: "ja", text: "雀" }, version }),
    source: sourceUrl,
  };
}

/** Names in ADMINS without an account are not shown. */
async function presentAdmins(ctx: Ctx) {
  if (!ctx.config.showAdmins) return [];
  const staff = await listStaff(ctx);
  return staff.filter((user) => isAdmin(ctx, user)).map((user) => presentName(user));
}

/** A mail address or a web address, as a link. */
function presentContact(contact: string): { href: string; text: string } {
  return { href: contact, text: contact.replace(/^(mailto:|https?:\/\/)/, "") };
}

/** What the site stores about users. */
export function presentPrivacy(ctx: Ctx, words: Translator) {
  const takeAlong = { href: "/settings/data", text: words.t("privacy.takeAlong") };
  const leave = { href: "/settings/account/delete", text: words.t("privacy.leave") };
  return {
    title: words.t("nav.privacy"),
    sessionDays: { idleDays: idleSeconds / day, longestDays: absoluteSeconds / day },
    hasMail: hasMail(ctx),
    traceDays: words.counted(ctx.config.timelineTtlDays),
    yours: words.pieces("privacy.yoursText", { takeAlong, leave }),
  };
}

const outOfBand = "urn:ietf:wg:oauth:2.0:oob";

/** Commands from nothing to a first tweet, with curl and jq; docs/api.md has the same ones. */
export function firstSteps(site: string): string[] {
  return [
    `S=${site}`,
    `read -r ID SECRET < <(curl -s $S/api/v1/apps -d client_name=curl -d redirect_uris=${outOfBand} -d scopes='read write' | jq -r '"\\(.client_id) \\(.client_secret)"')`,
    `echo "Open $S/oauth/authorize?response_type=code&scope=read+write&redirect_uri=${outOfBand}&client_id=$ID" && read -rp 'Code: ' CODE`,
    `TOKEN=$(curl -s $S/oauth/token -d grant_type=authorization_code -d code="$CODE" -d client_id="$ID" -d client_secret="$SECRET" -d redirect_uri=${outOfBand} | jq -r .access_token)`,
    `curl -s $S/api/v1/statuses -H "Authorization: Bearer $TOKEN" -H 'Idempotency-Key: 1' -d status='Hello from curl' | jq -r .url`,
  ];
}
