import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { blockedIn, isNameBlocked } from "../blocks.ts";
import { areFree, noteId, withFreeIds } from "../counters.ts";
import { countInDay } from "../statistics.ts";
import { Conflict, refuseIfAny, Unavailable, type Problem } from "../errors.ts";
import { type UserId, userId, type Stamp, stampAt } from "../ids.ts";
import { cleanLine } from "./display-text.ts";
import { hashPassword, passwordProblem } from "./passwords.ts";
import { isNamedAdmin } from "./roles.ts";
import { profileProblem } from "./settings.ts";
import { findUser, foldName, holderOf, isName, isNameTaken, keepUser } from "./store.ts";

/** TTL of a name's claim, if a sign-up crashes … */
const claimSeconds = 15;
/** … and TTL of its user, until a log-in or the promised chore keeps it. */
const draftSeconds = 24 * 60 * 60;

/** Words of routes, and words that make a user look like the operator of the site. */
const reserved = new Set(
  `about abuse accent accept account accounts admin administrator admins announcement api app apps assets audit
  auth authorize avatar avatars block blocked blocks bookmark bookmarks choice code completions confirm
  count css data decline delete digest docs draft drafts edit explore export favicon feed feeds follow
  followers followings forgot header headers healthz help history home hostmaster icon icons import
  invitations js language leave like likes list lists live login logo logout mail mailer_daemon manifest
  member members messages metrics mod moderation moderator moderators mods mute muted new no_reply nodeinfo
  noreply notifications notify oauth oembed official opensearch options original passkey passkeys people
  picture pictures pin postmaster privacy profile prove public push queues read readyz recovery register
  reject remove replies report reported reports requests reset retweet retweets revoke robots root rss
  search security send sessions settings share signin signout signup site sitemap socket ssladmin staff
  start static status streaming support suspended suzume sysadmin sysop system tag tags terms theme timeline
  timelines token totp tweet tweets unblock unbookmark unfollow unlike unmute unnotify unpin unretweet
  unsubscribe user userinfo users vote waiting webfinger webmaster well-known www`.split(/\s+/),
);

export interface SignUp {
  name: string;
  fullname: string;
  password: string;
}

/** A checked sign-up; `pass` is the hash of the password. */
type NewUser = Omit<SignUp, "password"> & { pass: string };

/**
 * With a `reason` the user is an applicant, who waits for an admin. `from`: address, for fair turns. Throws
 * Invalid, Conflict if the name is taken, TooMany while too many sign up at once.
 */
export async function signUp(
  ctx: Ctx,
  input: SignUp,
  { from = "", reason }: { from?: string; reason?: string | undefined } = {},
): Promise<UserId> {
  const person = await checkSignUp(ctx, input);
  if (await isNameTaken(ctx, person.name)) throw new Conflict({ name: "name.taken" });
  const pass = await hashPassword(input.password, ctx.config.bcryptCost, from);
  return await createUser(ctx, { ...person, pass, reason });
}

async function checkSignUp(ctx: Ctx, { name, fullname, password }: SignUp) {
  const person = { name: name.trim(), fullname: cleanLine(fullname) };
  const isBlocked = await isNameBlocked(ctx, person.name);
  // Signing up with a name in ADMINS would make an admin. The admin signs up first and is added to ADMINS afterwards.
  const isReserved = isNamedAdmin(ctx, person.name);
  refuseIfAny({
    name: isReserved
      ? "name.reserved"
      : (nameProblem(person.name) ?? (isBlocked ? "name.blocked" : undefined)),
    fullname:
      profileProblem("fullname", person.fullname) ?? (await blockedIn(ctx, person.fullname)),
    password: passwordProblem(password, person.name),
  });
  return person;
}

export function nameProblem(name: string): Problem | undefined {
  if (!isName(name)) return "name.format";
  return reserved.has(foldName(name)) ? "name.reserved" : undefined;
}

/**
 * Claims the name, writes the user, then replaces the claim by the user's id: that commits the sign-up. The
 * promised chore repeats what follows. After a crash before the commit, claim and hash expire, and lead to no
 * user until then. Throws Conflict: of several sign-ups at once, one wins.
 */
export async function createUser(
  ctx: Ctx,
  { reason, ...person }: NewUser & { reason?: string | undefined },
): Promise<UserId> {
  const id = await takeFreeId(ctx);
  const name = keys.username(foldName(person.name));
  const claim = `claimed:${id}`;
  const stamp = stampAt(ctx.now(), id);
  const holder = await ctx.redis.set(name, claim, "EX", claimSeconds, "NX", "GET");
  // If the claim is ours, this very command was sent twice and its first reply was lost.
  if (holder !== null && holder !== claim) throw new Conflict({ name: "name.taken" });
  try {
    await ctx.jobs.chore("reconcile-sign-up", { user: id }, "later");
    const waiting = reason === undefined ? {} : { waiting_at: stamp, reason };
    // Before the field, so that every applicant is in the list.
    if (reason !== undefined) await ctx.redis.zadd(keys.applicants, stamp, id);
    await writeUser(ctx, id, { ...person, ...waiting, stamp });
    if ((await ctx.redis.claimCommit(name, claim, id)) === 0)
      throw new Conflict({ name: "name.taken" });
  } catch (error) {
    // Lets the same form succeed once Redis is back; otherwise the claim expires.
    await ctx.redis.releaseClaim(name, claim).catch(() => {});
    throw error;
  }
  await keepUser(ctx, id);
  await countInDay(ctx, "sign-ups", { id, at: stamp / 1000 });
  if (reason === undefined) await listNewest(ctx, id, stamp);
  // Once more: the promised chore has taken the entry out if it was faster than the commit.
  else await ctx.redis.zadd(keys.applicants, stamp, id);
  // The promise above survives the end of this process; this chore runs at once.
  await ctx.jobs.chore("index-person", { user: id });
  return id;
}

/** An id with no data left of another user: their old sessions would admit them as the new user. */
async function takeFreeId(ctx: Ctx): Promise<UserId> {
  return await withFreeIds(ctx, { what: "users" }, async (first) => {
    const id = userId(first);
    const { user, sessions, tokens, codes, followers, followings, likes } = keys;
    const lists = [followers, followings, likes, keys.userTimeline, keys.homeTimeline];
    const secrets = [tokens, codes, keys.recoveryCodes, keys.resetLinks, keys.passkeys, keys.totp];
    const left = [user, sessions, ...secrets, ...lists].map((key) => key(id));
    return (await areFree(ctx, left)) ? id : undefined;
  });
}

/** Throws Unavailable if the id has been taken since. */
async function writeUser(
  ctx: Ctx,
  id: UserId,
  { stamp, ...person }: NewUser & { stamp: Stamp; waiting_at?: Stamp },
): Promise<void> {
  const fields = Object.entries({ ...person, bio: "", created_at: stamp }).flat();
  if ((await ctx.redis.createHash(keys.user(id), draftSeconds, ...fields)) === 1) return;
  noteId(ctx, "users", id);
  throw new Unavailable("a free id");
}

/** The chore of a sign-up or its acceptance: keeps and lists a user whose name is committed, ends other applications. May run twice. */
export async function reconcileSignUp(ctx: Ctx, id: UserId): Promise<void> {
  const user = await findUser(ctx, id);
  if (user === undefined || (await holderOf(ctx, user.name)) !== id)
    return void (await ctx.redis.zrem(keys.applicants, id));
  // A declined applicant expires.
  if (user.waiting && (await ctx.redis.hexists(keys.user(id), "refusal")) === 1) return;
  await keepUser(ctx, id);
  await countInDay(ctx, "sign-ups", { id, at: user.createdAt / 1000 });
  if (!user.waiting) await ctx.redis.zrem(keys.applicants, id);
  if (!user.suspended) await listNewest(ctx, id, user.createdAt);
}

/** Adds the user to the newest users, if new enough. */
export async function listNewest(ctx: Ctx, id: UserId, stamp: Stamp): Promise<void> {
  await exec(ctx.redis, [
    ["zadd", keys.newestUsers, stamp, id],
    ["zremrangebyrank", keys.newestUsers, 0, -mostOf("newestUsers") - 1],
  ]);
}
