import type { FollowOptions } from "../../../domain/graph/follows.ts";
import type { Relation } from "../../../domain/graph/relations.ts";
import type { User } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";
import { type PersonView, presentButton } from "../../layout/people.ts";
import { presentDay } from "../../layout/time.ts";
import { factFields, profileFields } from "../../../domain/profile-fields.ts";
import { parseWebsite, verifiedAt } from "../../../domain/users/settings.ts";
import { shorten } from "../../layout/text.ts";
import { z } from "zod";
import { formOf } from "../../layout/form.ts";

/** Mute and block buttons, the options of a follow in either direction, and the way to the viewer's lists. */
export function presentMenu(
  words: Translator,
  { url, followsYou }: PersonView,
  { muted, blocking }: Relation,
  options: FollowOptions | undefined,
) {
  const chosen = options && [
    options.notify
      ? presentButton(words, `${url}/unnotify`, "profile.stopNotifying", true)
      : presentButton(words, `${url}/notify`, "profile.notify", false),
    options.retweets
      ? presentButton(words, `${url}/hide-retweets`, "profile.hideRetweets", false)
      : presentButton(words, `${url}/show-retweets`, "profile.showRetweets", true),
  ];
  const removal = presentButton(words, `${url}/remove-follower`, "profile.removeFollower", true);
  return {
    options: [...(chosen ?? []), ...(followsYou ? [removal] : [])],
    mute: muted
      ? presentButton(words, `${url}/unmute`, "profile.unmute", true)
      : presentButton(words, `${url}/mute`, "profile.mute", false),
    durations: muteDurations,
    // The unblock button takes the place of the follow button.
    block: blocking ? undefined : presentButton(words, `${url}/block`, "profile.block", false),
    listsUrl: `${url}/lists`,
  };
}

/** Sentence about a mute or block between the viewer and this user. */
export function relationText(
  words: Translator,
  { name }: User,
  { muted, mutedUntil, blocked, blocking }: Relation,
): string | undefined {
  if (blocking) return words.t("profile.blocking", { name });
  if (blocked) return words.t("profile.blocked", { name });
  if (mutedUntil !== undefined && mutedUntil < Infinity)
    return words.t("profile.mutedUntil", { name, day: presentDay(words, mutedUntil) });
  return muted ? words.t("profile.muted", { name }) : undefined;
}

/** What the user tells below the bio. A link that is invalid today is left out. */
export function presentFacts(words: Translator, user: User) {
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

/** That the page of the link was found to be the user's, and when. */
function presentVerified(words: Translator, user: User) {
  const stamp = verifiedAt(user);
  if (stamp === undefined) return undefined;
  const title = words.t("profile.verifiedOn", { day: presentDay(words, stamp) });
  return { text: words.t("profile.verified"), title };
}

/** Days of a mute, by the value in the form; undefined: it does not end. */
const daysOf = { "1": 1, "7": 7, "30": 30, ever: undefined };

export const muteDurations = ["1", "7", "30", "ever"] as const;

/** A field with one of these, in days. */
export const duration = z.enum(muteDurations).transform((value) => daysOf[value]);

/** Mutes a user; without a duration that is known, for ever. */
export const muteForm = formOf("mute", { fields: { duration: duration.catch(undefined) } });
