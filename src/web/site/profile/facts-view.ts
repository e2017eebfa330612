import { factFields, profileFields } from "../../../domain/profile-fields.ts";
import { parseWebsite } from "../../../domain/users/settings.ts";
import type { User } from "../../../domain/users/store.ts";
import { verifiedAt } from "../../../domain/users/website.ts";
import type { Translator } from "../../languages/translator.ts";
import { shorten } from "../../layout/text.ts";
import { presentDay } from "../../layout/time.ts";

interface Fact {
  text: string;
  href?: string;
  /** That its page was found to be the user's, and when. */
  verified?: { text: string; title: string } | undefined;
}

/** What the user tells below the bio. A link that is invalid today is left out. */
export function presentFacts(words: Translator, user: User): Fact[] {
  return factFields.flatMap((name) => {
    const text = user[name];
    if (name === "bio" || text === "") return [];
    if (profileFields[name].kind !== "link") return [{ text }];
    const url = parseWebsite(text);
    // The ASCII form of the host, so that no letter of another script looks like one of it.
    if (url === undefined) return [];
    const shown = shorten(url.href.replace(/\/$/, ""));
    return [{ href: url.href, text: shown, verified: presentVerified(words, user) }];
  });
}

function presentVerified(words: Translator, user: User): Fact["verified"] {
  const stamp = verifiedAt(user);
  const day = stamp && presentDay(words, stamp);
  return day === undefined
    ? undefined
    : { text: words.t("profile.verified"), title: words.t("profile.verifiedOn", { day }) };
}
