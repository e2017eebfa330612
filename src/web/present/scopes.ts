import type { Scope, Scopes } from "../../domain/apps/scopes.ts";

/** What each scope lets an app do, to somebody who decides about it. */
const scopeWords: Readonly<Record<Scope, string>> = {
  read: "See all that you see: your home, notifications, likes, settings, and whom you follow, mute and block",
  write:
    "Do all that you do: tweet, delete, like, retweet, follow, mute, block, report, and change your profile",
  follow: "See and change whom you follow, mute and block",
  push: "Send your notifications to your device",
  profile: "See who you are: your name and your profile",
  "read:accounts": "See your profile and those of others",
  "read:blocks": "See whom you block",
  "read:bookmarks": "See your bookmarks",
  "read:favourites": "See what you like",
  "read:filters": "See which words you have muted",
  "read:follows": "See whom you follow and who follows you",
  "read:lists": "See your lists",
  "read:mutes": "See whom you mute",
  "read:notifications": "See your notifications",
  "read:search": "Search as you",
  "read:statuses": "See your home and all tweets that you see",
  "write:accounts": "Change your profile",
  "write:blocks": "Block and unblock people",
  "write:bookmarks": "Change your bookmarks",
  "write:conversations": "Mute and delete conversations",
  "write:favourites": "Like, and take likes back",
  "write:filters": "Change which words you have muted",
  "write:follows": "Follow and unfollow people",
  "write:lists": "Change your lists",
  "write:media": "Upload pictures",
  "write:mutes": "Mute and unmute people",
  "write:notifications": "Mark your notifications as read",
  "write:reports": "Report people and tweets",
  "write:statuses": "Tweet, retweet, and delete your tweets",
};

/** Without those that another one has in it. */
export function presentScopes(scopes: Scopes): string[] {
  const told = [...scopes].filter((scope) => {
    const [group = "", part] = scope.split(":");
    return part === undefined || !scopes.has(group as Scope);
  });
  return told.map((scope) => scopeWords[scope]);
}
