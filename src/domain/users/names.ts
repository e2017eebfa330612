import type { Problem } from "../errors.ts";

/** Words of routes, and words that make a user look like the operator of the site. */
const reserved = new Set(
  `about abuse account accounts admin administrator admins api app apps assets audit auth authorize avatar avatars
  block blocked bookmarks code confirm css data delete docs explore export favicon feed feeds follow
  followers followings forgot healthz help home hostmaster icon icons import js language like likes live login logout
  mail mailer_daemon manifest metrics mod moderation moderator moderators mods mute muted nodeinfo noreply no_reply notifications oauth oembed official opensearch passkeys people
  pin postmaster privacy profile prove public readyz recovery register remove replies report reported reports reset retweet
  retweets revoke robots root rss search security sessions settings share signin signout signup sitemap
  ssladmin staff static status support suspended suzume sysadmin sysop system tag tags terms timeline timelines token tweet
  tweets unblock unfollow unlike unmute unpin unretweet user users webfinger webmaster well-known www`.split(
    /\s+/,
  ),
);

/** `[a-z0-9_]{1,15}`, ignoring case. */
export function isName(name: string): boolean {
  return /^[a-z0-9_]{1,15}$/i.test(name);
}

/** The form in which names are compared and claimed. */
export function foldName(name: string): string {
  return name.toLowerCase();
}

export function nameProblem(name: string): Problem | undefined {
  if (!isName(name)) return "name.format";
  return reserved.has(foldName(name)) ? "name.reserved" : undefined;
}
