import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { followCounts } from "../../domain/follows/store.ts";
import { stampToDate } from "../../domain/stamp.ts";
import { countTweets } from "../../domain/timelines/store.ts";
import { type Relation, relationsTo } from "../../domain/users/relations.ts";
import type { User } from "../../domain/users/store.ts";
import { parseWebsite } from "../../domain/users/website.ts";
import type { Words } from "../languages/words.ts";
import type { Reader } from "../middleware/language.ts";
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
  /** What can be done against somebody; not for oneself or without an account. */
  menu: { mute: ButtonView; block: ButtonView | undefined } | undefined;
  /** What the viewer should know about themself and this person. */
  relation: string | undefined;
  /** With a block in between nothing but the names is shown. */
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
    menu: viewer === undefined || person.isMe ? undefined : presentMenu(url, relation),
    relation: relationText(user, relation),
    isBlocked: relation.blocked,
    joined: `Joined ${presentDay(words, user.createdAt)}`,
    joinedIso: stampToDate(user.createdAt).toISOString(),
    counts: {
      tweets: presentCount(words, tweets, `${url}/replies`, "Tweet", "Tweets"),
      followings: presentCount(
        words,
        follows.followings,
        `${url}/followings`,
        "Following",
        "Following",
      ),
      followers: presentCount(
        words,
        follows.followers,
        `${url}/followers`,
        "Follower",
        "Followers",
      ),
    },
  };
}

function presentWebsite(website: string) {
  const url = parseWebsite(website);
  // The host as the network spells it, so that no letter of another script passes for one of it.
  return url && { href: url.href, text: shorten(url.href.replace(/\/$/, "")) };
}

function presentMenu(url: string, { muted, blocking }: Relation): ProfileView["menu"] {
  return {
    mute: muted
      ? { action: `${url}/unmute`, label: "Unmute", pressed: true }
      : { action: `${url}/mute`, label: "Mute", pressed: false },
    // To unblock there is a button where that to follow was.
    block: blocking ? undefined : { action: `${url}/block`, label: "Block", pressed: false },
  };
}

function relationText({ name }: User, { muted, blocked, blocking }: Relation): string | undefined {
  if (blocking) return `You have blocked @${name}. Neither of you sees what the other writes.`;
  if (blocked) return `@${name} has blocked you. Neither of you sees what the other writes.`;
  return muted ? `You have muted @${name}. You see what they write only here.` : undefined;
}

function presentCount(
  words: Words,
  value: number,
  href: string,
  one: string,
  many: string,
): CountView {
  return { value, text: words.number(value), label: value === 1 ? one : many, href };
}

export type ProfileTab = "tweets" | "replies" | "likes";

/** The lists of tweets on a profile. */
export function tweetTabs({ name }: User, current: ProfileTab) {
  return [
    { href: `/@${name}`, label: "Tweets", current: current === "tweets" },
    { href: `/@${name}/replies`, label: "Tweets and replies", current: current === "replies" },
    { href: `/@${name}/likes`, label: "Likes", current: current === "likes" },
  ];
}

/** The lists of people around a profile. */
export function profileTabs({ name }: User, current: "followers" | "followings") {
  return [
    { href: `/@${name}/followers`, label: "Followers", current: current === "followers" },
    { href: `/@${name}/followings`, label: "Following", current: current === "followings" },
  ];
}
