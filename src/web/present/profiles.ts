import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { followCounts } from "../../domain/graph/follows.ts";
import { stampToDate } from "../../domain/stamp.ts";
import { countTweets } from "../../domain/timelines/store.ts";
import { type Relation, relationsTo } from "../../domain/graph/relations.ts";
import type { User } from "../../domain/users/store.ts";
import { parseWebsite } from "../../domain/users/settings.ts";
import type { Key, Translator } from "../languages/translator.ts";
import type { Reader } from "../languages/reader.ts";
import { type ButtonView, type PersonView, presentPeople } from "./people.ts";
import { presentText, shorten, type TextPart } from "./text.ts";
import { presentDay } from "./time.ts";

export interface CountView {
  value: number;
  text: string;
  label: string;
  href: string;
}

export interface ProfileView extends PersonView {
  bioParts: TextPart[];
  website: { href: string; text: string } | undefined;
  /** Mute and block buttons; undefined on the viewer's own profile and for signed-out readers. */
  menu: { mute: ButtonView; block: ButtonView | undefined } | undefined;
  /** Sentence about a mute or block between the viewer and this user. */
  relation: string | undefined;
  /** True if there is a block either way: then only the names are shown. */
  isBlocked: boolean;
  joined: string;
  joinedIso: string;
  counts: { tweets: CountView; followings: CountView; followers: CountView };
}

export async function presentProfile(ctx: Ctx, reader: Reader, user: User): Promise<ProfileView> {
  const { viewer, words } = reader;
  const [[person], relationTo, tweets, follows] = await Promise.all([
    presentPeople(ctx, reader, [user]),
    relationsTo(ctx, viewer, [user.id]),
    countTweets(ctx, user.id),
    followCounts(ctx, user.id),
  ]);
  if (person === undefined) throw new NotFound("user");
  const { url } = person;
  const relation = relationTo(user.id);
  return {
    ...person,
    bioParts: presentText(user.bio),
    website: presentWebsite(user.website),
    menu: viewer === undefined || person.isMe ? undefined : presentMenu(words, url, relation),
    relation: relationText(words, user, relation),
    isBlocked: relation.blocked,
    joined: words.t("profile.joined", { day: presentDay(words, user.createdAt) }),
    joinedIso: stampToDate(user.createdAt).toISOString(),
    counts: {
      tweets: presentCount(words, tweets, `${url}/replies`, "profile.countTweets"),
      followings: presentCount(
        words,
        follows.followings,
        `${url}/followings`,
        "profile.countFollowings",
      ),
      followers: presentCount(
        words,
        follows.followers,
        `${url}/followers`,
        "profile.countFollowers",
      ),
    },
  };
}

function presentWebsite(website: string) {
  const url = parseWebsite(website);
  // The ASCII form of the host, so that no letter of another script looks like one of it.
  return url && { href: url.href, text: shorten(url.href.replace(/\/$/, "")) };
}

function presentMenu(
  words: Translator,
  url: string,
  { muted, blocking }: Relation,
): ProfileView["menu"] {
  return {
    mute: muted
      ? { action: `${url}/unmute`, label: words.t("profile.unmute"), pressed: true }
      : { action: `${url}/mute`, label: words.t("profile.mute"), pressed: false },
    // The unblock button takes the place of the follow button.
    block: blocking
      ? undefined
      : { action: `${url}/block`, label: words.t("profile.block"), pressed: false },
  };
}

function relationText(
  words: Translator,
  { name }: User,
  { muted, blocked, blocking }: Relation,
): string | undefined {
  if (blocking) return words.t("profile.blocking", { name });
  if (blocked) return words.t("profile.blocked", { name });
  return muted ? words.t("profile.muted", { name }) : undefined;
}

function presentCount(words: Translator, value: number, href: string, key: Key): CountView {
  const counted = words.counted(value);
  return { value, text: counted.shown, label: words.t(key, counted), href };
}

export type ProfileTab = "tweets" | "replies" | "likes";

/** Tabs with the tweet lists of a profile. */
export function tweetTabs(words: Translator, { name }: User, current: ProfileTab) {
  const tab = (href: string, is: ProfileTab) => {
    return { href, label: words.t(`profile.${is}`), current: current === is };
  };
  return [
    tab(`/@${name}`, "tweets"),
    tab(`/@${name}/replies`, "replies"),
    tab(`/@${name}/likes`, "likes"),
  ];
}

/** Tabs with the people lists of a profile. */
export function profileTabs(
  words: Translator,
  { name }: User,
  current: "followers" | "followings",
) {
  return (["followers", "followings"] as const).map((list) => ({
    href: `/@${name}/${list}`,
    label: words.t(`profile.${list}`),
    current: current === list,
  }));
}
