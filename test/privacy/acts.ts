import * as fc from "fast-check";
import { giveRole } from "../../src/domain/moderation/accounts.ts";
import { reinstateUser, suspendUser } from "../../src/domain/users/suspension.ts";
import { getAnyUserByName } from "../../src/domain/users/store.ts";
import { tokenFor } from "../support/actors/app-listener.ts";
import { allScopes, type Marked, type Member } from "./marked-posts.ts";
import type { MarkedSite } from "./marked-site.ts";
import type { Reader } from "./readers.ts";
import { audiences } from "./rule.ts";

/** What members do to each other and to posts. */
const kinds = [
  ...(["post", "answer", "message", "quote", "retweet", "like", "edit", "delete"] as const),
  ...(["follow", "follow", "unfollow", "removeFollower", "block", "unblock"] as const),
  ...([
    "accept",
    "decline",
    "protect",
    "open",
    "signInAgain",
    "role",
    "suspend",
    "reinstate",
  ] as const),
];

/** `who` does it, to `whom` or to the post `what`, counted from the newest that they may read. */
export interface Act {
  does: (typeof kinds)[number];
  who: number;
  whom: number;
  what: number;
}

export const acts: fc.Arbitrary<Act> = fc.record({
  does: fc.constantFrom(...kinds),
  who: fc.nat({ max: 4 }),
  whom: fc.nat({ max: 4 }),
  what: fc.nat({ max: 7 }),
});

/** Does it to the site and to the rule. Resolves to readers who have lost what they had, such as a session. */
export async function perform(
  site: MarkedSite,
  { does, who, whom, what }: Act,
): Promise<Reader | undefined> {
  const [one, other] = [site.members[who], site.members[whom]] as [Member, Member];
  const audience = audiences[what % 4] ?? "public";
  const names = what > 4 ? [other.name] : [];
  // Also of what is hidden: then the site must refuse.
  const post = newest(site.posts, what);
  const own = newest(
    site.posts.filter((each) => each.author === one && !each.gone && each.repeats === undefined),
    what % 3,
  );
  if (one.suspended && does !== "reinstate") return undefined;
  switch (does) {
    case "post":
      await site.post(one, { audience, names, hasWarning: what % 2 === 0 });
      break;
    case "message":
      await site.post(one, { audience: "mentioned", names: [other.name] });
      break;
    case "answer":
      await site.post(one, { audience, names, answers: post });
      break;
    case "quote":
      await site.post(one, { audience: "public", quotes: post });
      break;
    case "retweet":
      if (post !== undefined) await site.retweet(one, post);
      break;
    case "like":
      if (post !== undefined) await site.like(one, post);
      break;
    case "edit":
      // Whoever is named in a later version of a message is not let in.
      if (own?.audience === "mentioned") await site.edit(own, [other]);
      else if (own !== undefined) await site.edit(own);
      break;
    case "delete":
      if (own !== undefined && site.posts.indexOf(own) > 40) await site.delete(own);
      break;
    case "follow":
      await site.follow(one, other);
      break;
    case "unfollow":
      await site.unfollow(one, other);
      break;
    case "removeFollower":
      await site.unfollow(other, one);
      break;
    case "block":
      await site.block(one, other);
      break;
    case "unblock":
      await site.unblock(one, other);
      break;
    case "accept":
    case "decline":
      await site.answer(one, does === "accept");
      break;
    case "protect":
    case "open":
      await site.protect(one, does === "protect");
      break;
    case "signInAgain":
      return await endSession(site, one);
    case "role":
      await changeRole(site, one, what % 2 === 0);
      break;
    case "suspend":
    case "reinstate":
      await suspend(site, one, does === "suspend");
      break;
  }
  return undefined;
}

function newest(posts: readonly Marked[], nth: number): Marked | undefined {
  return posts.filter(({ repeats }) => repeats === undefined).at(-1 - nth);
}

/** A browser whose session has ended reads as a stranger. */
async function endSession(site: MarkedSite, member: Member): Promise<Reader> {
  const { name, cookie } = member.reader;
  const visitor = site.world.visitor();
  await visitor.post("/logout").set("Cookie", cookie);
  member.reader.cookie = await site.signIn(name);
  return { who: undefined, name: `${name}, signed out,`, cookie, token: "" };
}

async function changeRole({ world }: MarkedSite, member: Member, isGiven: boolean) {
  const user = await getAnyUserByName(world.ctx, member.name);
  const decision = { by: undefined, note: "", nonce: String(Math.random()) };
  await giveRole(world.ctx, decision, user, isGiven ? "moderator" : "");
  member.moderates = isGiven;
}

async function suspend(site: MarkedSite, member: Member, isSuspended: boolean): Promise<void> {
  const { ctx } = site.world;
  const user = await getAnyUserByName(ctx, member.name);
  if (user.role !== "" || user.suspended === isSuspended) return;
  await (isSuspended ? suspendUser(ctx, user) : reinstateUser(ctx, user));
  member.suspended = isSuspended;
  // The session has ended: such a browser reads as a stranger.
  member.reader.who = isSuspended ? undefined : member;
  if (isSuspended) return;
  member.reader.cookie = await site.signIn(member.name);
  member.reader.token = await tokenFor(site.world, member.name, allScopes);
}

/** Pages and lists that readers have open while something changes. */
export function warmPaths(site: MarkedSite): string[] {
  const names = site.members.slice(0, 4).map(({ name }) => name);
  const posts = site.posts.filter(({ repeats }) => repeats === undefined).slice(-4);
  return [
    "/",
    "/explore",
    "/notifications",
    "/bookmarks",
    "/tags/birds",
    "/search?q=birds",
    "/messages",
    ...names.flatMap((name) => [`/@${name}`, `/@${name}/replies`, `/@${name}/likes`]),
    `/@${names[0]}.rss`,
    ...site.members.slice(2, 4).map(({ list }) => `/lists/${list}`),
    ...posts.map(({ id }) => `/tweets/${id}`),
    ...posts.map(({ status }) => `/api/v1/statuses/${status}/context`),
    "/api/v1/timelines/home",
    "/api/v1/timelines/public",
    "/api/v1/notifications",
    "/api/v1/conversations",
  ];
}
