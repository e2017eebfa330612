import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { followCounts } from "../../domain/follows/store.ts";
import { stampToDate } from "../../domain/stamp.ts";
import { countTweets } from "../../domain/timelines/store.ts";
import type { User } from "../../domain/users/store.ts";
import { presentNumber } from "./numbers.ts";
import { type PersonView, presentPeople } from "./people.ts";
import { presentDay } from "./time.ts";

export interface CountView {
  value: number;
  text: string;
  label: string;
  href: string;
}

export interface ProfileView extends PersonView {
  joined: string;
  joinedIso: string;
  counts: { tweets: CountView; followings: CountView; followers: CountView };
}

export async function presentProfile(
  ctx: Ctx,
  viewer: User | undefined,
  user: User,
): Promise<ProfileView> {
  const [[person], tweets, follows] = await Promise.all([
    presentPeople(ctx, viewer, [user]),
    countTweets(ctx, user.id),
    followCounts(ctx, user.id),
  ]);
  if (person === undefined) throw new NotFound("user");
  const { url } = person;
  return {
    ...person,
    joined: `Joined ${presentDay(user.createdAt)}`,
    joinedIso: stampToDate(user.createdAt).toISOString(),
    counts: {
      tweets: presentCount(tweets, `${url}/replies`, "Tweet", "Tweets"),
      followings: presentCount(follows.followings, `${url}/followings`, "Following", "Following"),
      followers: presentCount(follows.followers, `${url}/followers`, "Follower", "Followers"),
    },
  };
}

function presentCount(value: number, href: string, one: string, many: string): CountView {
  return { value, text: presentNumber(value), label: value === 1 ? one : many, href };
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
