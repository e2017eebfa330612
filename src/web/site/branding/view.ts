import type { Problems } from "../../../domain/problems.ts";
import { readModes, signUpModes, type SiteSettings } from "../../../domain/site/settings.ts";
import { showForm, textsOf } from "../../layout/form.ts";
import { logoForm, siteForm } from "./form.ts";
import type { Translator } from "../../languages/translator.ts";
import { presentBranding } from "../../layout/branding.ts";

interface Typed {
  /** The refused form; undefined: shows what is stored. */
  typed: unknown;
  problems: Problems;
  saved: boolean;
}

/** The forms with what the admins decide about the site. */
export function presentSite(
  words: Translator,
  site: SiteSettings,
  { typed, problems, saved }: Typed,
) {
  const values = typed === undefined ? storedTexts(site) : textsOf(typed);
  return {
    title: `${words.t("site.title")} · ${words.t("nav.moderation")}`,
    form: showForm(words, siteForm, values, problems),
    logoForm: showForm(words, logoForm, {}, problems),
    logo: site.logo === "" ? undefined : presentBranding(site).logo?.large,
    signUpModes,
    readModes,
    chosen: { signUp: values["signUp"], read: values["read"] },
    membersInvite: values["membersInvite"] !== undefined,
    saved: saved ? words.t("site.saved") : undefined,
  };
}

function storedTexts({
  membersInvite,
  contact,
  ...site
}: SiteSettings): Record<string, string | undefined> {
  return {
    ...site,
    contact: contact.replace(/^mailto:/, ""),
    membersInvite: membersInvite ? "on" : undefined,
  };
}
