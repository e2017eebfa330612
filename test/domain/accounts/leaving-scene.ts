import type { Ctx } from "../../../src/context.ts";
import { replaceAddress } from "../../../src/domain/accounts/mail.ts";
import { makeRecoveryCodes } from "../../../src/domain/factors/codes.ts";
import { makeResetLink } from "../../../src/domain/accounts/reset-links.ts";
import { allowApp } from "../../../src/domain/apps/authorize.ts";
import { awaitSecondFactor } from "../../../src/domain/factors/second-factor.ts";
import { addPasskey } from "../../../src/domain/factors/passkeys.ts";
import { sealWith } from "../../../src/domain/secrets.ts";
import { storeToken, newToken } from "../../../src/domain/apps/tokens.ts";
import {
  type ClientId,
  type ListId,
  parseClientId,
  parseListId,
  type UserId,
} from "../../../src/domain/ids.ts";
import { reportPerson } from "../../../src/domain/moderation/report.ts";
import { indexPerson } from "../../../src/domain/search/index-person.ts";
import { changeFollowOptions, follow } from "../../../src/domain/actions/follow.ts";
import { prepareHome } from "../../../src/domain/timelines/home.ts";
import { bookmarkTweet } from "../../../src/domain/actions/bookmark.ts";
import { likeTweet } from "../../../src/domain/actions/like.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { addToList } from "../../../src/domain/graph/lists.ts";
import { muteWord } from "../../../src/domain/graph/muted-words.ts";
import { hashPassword } from "../../../src/domain/users/passwords.ts";
import { muteConversation } from "../../../src/domain/notifications/muted-conversations.ts";
import { followTag } from "../../../src/domain/graph/follows.ts";
import { openSession } from "../../../src/domain/users/sessions.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { dump } from "../../support/world/dump.ts";
import { exportFileWith, startImport } from "../../support/data/account-files.ts";
import { postAndDeliver } from "../../support/actors/people.ts";
import { password } from "../../support/actors/visitor.ts";

export interface LeavingScene {
  leaver: User;
  friend: UserId;
  other: UserId;
}

/** A user who has done everything that is possible here, and two users who stay. */
export async function createLeavingScene(ctx: Ctx): Promise<LeavingScene> {
  const pass = await hashPassword(password, 4);
  const id = await createUser(ctx, { name: "Leaver", fullname: "Lee Aver", pass });
  const friend = await createUser(ctx, { name: "friend", fullname: "Friend", pass: "none" });
  const other = await createUser(ctx, { name: "other", fullname: "Other", pass: "none" });
  for (const person of [id, friend, other]) await prepareHome(ctx, person, "new");
  await follow(ctx, { follower: id, followee: friend });
  await follow(ctx, { follower: friend, followee: id });
  await follow(ctx, { follower: other, followee: id });
  await follow(ctx, { follower: other, followee: friend });
  const mine = await postAndDeliver(ctx, id, "mine #leaving");
  const theirs = await postAndDeliver(ctx, friend, "theirs");
  for (const text of ["one", "two", "three"]) await postAndDeliver(ctx, id, text);
  await postTweet(ctx, id, { text: "my reply", replyTo: theirs });
  await postTweet(ctx, other, { text: "a reply to it", replyTo: mine });
  await retweet(ctx, id, theirs);
  await retweet(ctx, friend, mine);
  await likeTweet(ctx, id, theirs);
  await likeTweet(ctx, friend, mine);
  await bookmarkTweet(ctx, id, theirs);
  await listPerson(ctx, id, friend);
  await listPerson(ctx, friend, id);
  await openSession(ctx, id, "a-session");
  await ctx.redis.set(`${keys.sessionPrefix}a-session`, JSON.stringify({ user: id }));
  await letAppIn(ctx, id);
  await ctx.redis.zadd(keys.blocks(id), 1, other);
  await ctx.redis.zadd(keys.blockedBy(other), 1, id);
  await ctx.redis.zadd(keys.blocks(other), 1, id);
  await ctx.redis.zadd(keys.blockedBy(id), 1, other);
  for (const [asked, requester] of [
    [id, other],
    [other, id],
  ] as const) {
    await ctx.redis.zadd(keys.followRequests(asked), 1, requester);
    await ctx.redis.zadd(keys.requested(requester), 1, asked);
  }
  await ctx.redis.zadd(keys.mutes(id), 1, other);
  await ctx.redis.zadd(keys.timedMutes(id), 9e15, friend);
  await changeFollowOptions(
    ctx,
    { follower: id, followee: friend },
    { retweets: false, notify: true },
  );
  await changeFollowOptions(
    ctx,
    { follower: friend, followee: id },
    { retweets: false, notify: true },
  );
  await muteConversation(ctx, id, theirs);
  await followTag(ctx, id, "birds");
  await muteWord(ctx, id, { word: "noise", days: undefined });
  await ctx.redis.set(keys.avatar(id), "a picture");
  await ctx.redis.hset(keys.guesses(id), { count: 1, since: 1 });
  await makeRecoveryCodes(ctx, { id });
  await giveFactors(ctx, id);
  await makeResetLink(ctx, { id, generation: "" });
  await giveAddress(ctx, id);
  await startImport(
    ctx,
    id,
    exportFileWith({ tweet: [{ text: "old", created_at: "2020-01-01T00:00:00Z" }] }),
  );
  const [leaver, reported, reporter] = (await Promise.all(
    [id, friend, other].map((one) => findUser(ctx, one)),
  )) as [User, User, User];
  await reportPerson(ctx, leaver, reported, { reason: "spam", comment: "look at them" });
  await reportPerson(ctx, reporter, leaver, { reason: "spam", comment: "and at this one" });
  await indexPerson(ctx, id);
  return { leaver, friend, other };
}

/** With an id that is the same each time. */
async function listPerson(ctx: Ctx, owner: UserId, member: UserId): Promise<void> {
  const list = parseListId("4711") as ListId;
  const about = { title: "Birds", replies: "list", createdAt: 1 };
  await ctx.redis.hset(keys.lists(owner), list, JSON.stringify(about));
  await addToList(ctx, { owner, list, member });
}

/** An authenticator app that is on and one that is not yet, a passkey, and a log-in that waits for a code. */
async function giveFactors(ctx: Ctx, user: UserId): Promise<void> {
  const seal = sealWith("a secret of tests", "tests");
  await ctx.redis.hset(keys.totp(user), { secret: seal.close("A", user), created_at: 1, step: 1 });
  await ctx.redis.set(keys.totpSetup(user), seal.close("B", user));
  const about = { name: "Phone", publicKey: "AA", counter: 0, transports: [], synced: false };
  await addPasskey(ctx, user, { id: "a-passkey", ...about });
  await awaitSecondFactor(ctx, { user, generation: "" }, "/");
}

/** One that is confirmed, and one that waits. */
async function giveAddress(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.hset(keys.user(user), "mail", "");
  const [to, language] = ["confirmed@example.org", "en"];
  await replaceAddress(ctx, user, { from: "", to, language });
  const waiting = { address: "waiting@example.org", language, from: to, generation: "" };
  await ctx.redis.set(keys.mailPending(user), JSON.stringify({ ...waiting, digest: "" }), "EX", 60);
}

async function letAppIn(ctx: Ctx, user: UserId): Promise<void> {
  const app = parseClientId("a".repeat(32)) as ClientId;
  const consent = { app, redirectUri: "app://back", scopes: "read", challenge: undefined };
  await allowApp(ctx, { user, generation: "" }, consent);
  const { location } = newToken({ app, user });
  await storeToken(ctx, location, { app, scopes: new Set(["read"]) });
}

/** Keys, members and fields that still name a user, except what others wrote. */
export async function tracesOf(ctx: Ctx, user: User): Promise<string[]> {
  const own = new RegExp(`(?<!\\d)${user.id}(?!\\d)|${user.name}`, "i");
  const found: string[] = [];
  for (const [key, value] of await dump(ctx)) {
    if (await isTombstone(ctx, key, value)) continue;
    if (own.test(`${key} ${JSON.stringify(value)}`)) found.push(key);
  }
  return found;
}

/** All stored data, without what depends on time or chance. */
export async function outcomeOf(ctx: Ctx): Promise<[string, unknown][]> {
  const end: [string, unknown][] = [];
  for (const [key, value] of await dump(ctx)) {
    end.push([key, (await isTombstone(ctx, key, value)) ? "a tombstone" : withoutClock(value)]);
  }
  return end;
}

/** A deleted tweet: it has no text and expires. */
async function isTombstone(ctx: Ctx, key: string, value: unknown): Promise<boolean> {
  if (!/^tweet:\d+$/.test(key) || !Object.hasOwn(value as object, "deleted_at")) return false;
  return !Object.hasOwn(value as object, "text") && (await ctx.redis.ttl(key)) > 0;
}

/** Members without stamps, fields without what depends on time or chance. */
function withoutClock(value: unknown): unknown {
  if (Array.isArray(value))
    return value
      .filter((_, index) => index % 2 === 0)
      .map(String)
      .toSorted();
  if (typeof value !== "object" || value === null) return value;
  const byChance = new Set(["created_at", "pass"]);
  return Object.fromEntries(Object.entries(value).filter(([field]) => !byChance.has(field)));
}
