import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { areFree, noteId, withFreeIds } from "../counters.ts";
import { Conflict, Invalid, type Problem, Unavailable } from "../errors.ts";
import { type UserId, userId } from "../ids.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { cleanLine, fitsGraphemes, isBlank } from "./display-text.ts";
import { foldName, nameProblem } from "./names.ts";
import { hashPassword, passwordProblem } from "./passwords.ts";
import { isNamedAdmin } from "./roles.ts";
import { findUser, holderOf, isNameTaken, keepUser } from "./store.ts";

export const fullnameLimit = 50;
/** TTL of a name's claim, if a sign-up crashes … */
const claimSeconds = 15;
/** … and TTL of its user, until a log-in or the promised chore keeps it. */
const draftSeconds = 24 * 60 * 60;
const newestKept = 1000;

export interface SignUp {
  name: string;
  fullname: string;
  password: string;
}

/** Throws Invalid, Conflict if the name is taken, TooMany while too many sign up at once. */
export async function signUp(ctx: Ctx, input: SignUp, from = ""): Promise<UserId> {
  const person = checkSignUp(ctx, input);
  if (await isNameTaken(ctx, person.name)) throw new Conflict({ name: "name.taken" });
  const pass = await hashPassword(input.password, ctx.config.bcryptCost, from);
  return await createUser(ctx, { ...person, pass });
}

function checkSignUp(
  ctx: Ctx,
  { name, fullname, password }: SignUp,
): { name: string; fullname: string } {
  const person = { name: name.trim(), fullname: cleanLine(fullname) };
  const problems: Record<string, Problem | undefined> = {
    // Signing up with a name in ADMINS would make an admin. The admin signs up first and is added to ADMINS
    // afterwards.
    name: isNamedAdmin(ctx, person.name) ? "name.reserved" : nameProblem(person.name),
    fullname: fullnameProblem(person.fullname),
    password: passwordProblem(password, person.name),
  };
  const found = Object.entries(problems).filter((pair) => pair[1] !== undefined);
  if (found.length > 0) throw new Invalid(Object.fromEntries(found) as Record<string, Problem>);
  return person;
}

/** For a full name that was cleaned. */
export function fullnameProblem(fullname: string): Problem | undefined {
  if (isBlank(fullname)) return "fullname.empty";
  return fitsGraphemes(fullname, fullnameLimit) ? undefined : "fullname.long";
}

/**
 * Claims the name, writes the user, then replaces the claim by the user's id: that commits the sign-up. The
 * promised chore repeats what follows. After a crash before the commit, claim and hash expire, and lead to no
 * user until then. Throws Conflict: of several sign-ups at once, one wins.
 */
export async function createUser(
  ctx: Ctx,
  person: { name: string; fullname: string; pass: string },
): Promise<UserId> {
  const id = await takeFreeId(ctx);
  const name = keys.username(foldName(person.name));
  const claim = `claimed:${id}`;
  const stamp = stampAt(ctx.now(), id);
  const holder = await ctx.redis.set(name, claim, "EX", claimSeconds, "NX", "GET");
  // If the claim is ours, this very command was sent twice and its first reply was lost.
  if (holder !== null && holder !== claim) throw new Conflict({ name: "name.taken" });
  try {
    await ctx.jobs.chore("settle-sign-up", { user: id }, "later");
    await writeUser(ctx, id, { ...person, stamp });
    if ((await ctx.redis.claimCommit(name, claim, id)) === 0)
      throw new Conflict({ name: "name.taken" });
  } catch (error) {
    // Lets the same form succeed once Redis is back; otherwise the claim expires.
    await ctx.redis.releaseClaim(name, claim).catch(() => {});
    throw error;
  }
  await keepUser(ctx, id);
  await listNewest(ctx, id, stamp);
  // The promise above survives the end of this process; this chore runs at once.
  await ctx.jobs.chore("index-person", { user: id });
  return id;
}

/** An id with no data left of another user: their old sessions would admit them as the new user. */
async function takeFreeId(ctx: Ctx): Promise<UserId> {
  return await withFreeIds(ctx, { what: "users" }, async (first) => {
    const id = userId(first);
    const left = [keys.user, keys.sessions, keys.tokens, keys.codes, keys.passkeys, keys.totp].map(
      (key) => key(id),
    );
    left.push(
      keys.followings(id),
      keys.followers(id),
      keys.userTimeline(id),
      keys.homeTimeline(id),
      keys.likes(id),
    );
    left.push(keys.recoveryCodes(id), keys.resetLinks(id));
    return (await areFree(ctx, left)) ? id : undefined;
  });
}

/** Throws Unavailable if the id has been taken since. */
async function writeUser(
  ctx: Ctx,
  id: UserId,
  { stamp, ...person }: { name: string; fullname: string; pass: string; stamp: Stamp },
): Promise<void> {
  const fields = { ...person, bio: "", created_at: stamp };
  const key = keys.user(id);
  if ((await ctx.redis.draftHash(key, draftSeconds, ...Object.entries(fields).flat())) === 1)
    return;
  noteId(ctx, "users", id);
  throw new Unavailable("a free id");
}

/** The chore promised by createUser: keeps and lists a user whose name is committed. May run twice. */
export async function reconcileSignUp(ctx: Ctx, id: UserId): Promise<void> {
  const user = await findUser(ctx, id);
  if (user === undefined || (await holderOf(ctx, user.name)) !== id) return;
  await keepUser(ctx, id);
  if (!user.suspended) await listNewest(ctx, id, user.createdAt);
}

/** Adds the user to the newest users, if new enough. */
export async function listNewest(ctx: Ctx, id: UserId, stamp: Stamp): Promise<void> {
  await exec(ctx.redis, [
    ["zadd", keys.newestUsers, stamp, id],
    ["zremrangebyrank", keys.newestUsers, 0, -newestKept - 1],
  ]);
}
