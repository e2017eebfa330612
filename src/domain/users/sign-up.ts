import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { areFree, noteId, withFreeIds } from "../counters.ts";
import { Conflict, Invalid, type Problem, Unavailable } from "../errors.ts";
import { type UserId, userId } from "../ids.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { isAdmin } from "./admins.ts";
import { cleanLine, fitsGraphemes, isBlank } from "./display-text.ts";
import { foldName, nameProblem } from "./names.ts";
import { hashPassword, passwordProblem } from "./passwords.ts";
import { findUser, holderOf, isNameTaken, keepUser } from "./store.ts";

export const fullnameLimit = 50;
/** A sign-up that crashed gives its name free after this many seconds … */
const claimSeconds = 15;
/** … and this is how long its user is kept, which takes a log-in or the promised chore to stay. */
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
    // Whoever signed up under a name that ADMINS has would be an admin: that comes first, then ADMINS.
    name: isAdmin(ctx, person) ? "name.reserved" : nameProblem(person.name),
    fullname: fullnameProblem(person.fullname),
    password: passwordProblem(password, person.name),
  };
  const found = Object.entries(problems).filter((pair) => pair[1] !== undefined);
  if (found.length > 0) throw new Invalid(Object.fromEntries(found) as Record<string, Problem>);
  return person;
}

/** Of a full name that has been cleaned. */
export function fullnameProblem(fullname: string): Problem | undefined {
  if (isBlank(fullname)) return "fullname.empty";
  return fitsGraphemes(fullname, fullnameLimit) ? undefined : "fullname.long";
}

/**
 * Claims the name, writes the user, then puts the user in the place of the claim: that commits it, and
 * what follows is done again by the promised chore. A crash before leaves a claim and a hash that lapse,
 * and lead to nobody meanwhile. Throws Conflict: of several at the same moment one wins.
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
  // Our own claim in it means that this very command was sent twice and its first reply was lost.
  if (holder !== null && holder !== claim) throw new Conflict({ name: "name.taken" });
  try {
    await ctx.jobs.chore("settle-sign-up", { user: id }, "later");
    await writeUser(ctx, id, { ...person, stamp });
    if ((await ctx.redis.claimCommit(name, claim, id)) === 0)
      throw new Conflict({ name: "name.taken" });
  } catch (error) {
    // So that the same form goes through once Redis is back; else the claim lapses.
    await ctx.redis.releaseClaim(name, claim).catch(() => {});
    throw error;
  }
  await keepUser(ctx, id);
  await listNewest(ctx, id, stamp);
  // The promise above is kept even if this process ends; this one is kept at once.
  await ctx.jobs.chore("index-person", { user: id });
  return id;
}

/** An id under which nothing is left of anybody: whose sessions would else let them in as somebody new. */
async function takeFreeId(ctx: Ctx): Promise<UserId> {
  return await withFreeIds(ctx, { what: "users" }, async (first) => {
    const id = userId(first);
    const left = [keys.user, keys.sessions, keys.tokens, keys.codes, keys.followings].map((key) =>
      key(id),
    );
    left.push(keys.followers(id), keys.userTimeline(id), keys.homeTimeline(id), keys.likes(id));
    return (await areFree(ctx, left)) ? id : undefined;
  });
}

/** Throws Unavailable where somebody has taken the id since. */
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

/** The chore promised by createUser: keeps a user whose name is committed, and lists them. May run twice. */
export async function reconcileSignUp(ctx: Ctx, id: UserId): Promise<void> {
  const user = await findUser(ctx, id);
  if (user === undefined || (await holderOf(ctx, user.name)) !== id) return;
  await keepUser(ctx, id);
  if (!user.suspended) await listNewest(ctx, id, user.createdAt);
}

/** Among the newest people, if they are. */
export async function listNewest(ctx: Ctx, id: UserId, stamp: Stamp): Promise<void> {
  await exec(ctx.redis, [
    ["zadd", keys.newestUsers, stamp, id],
    ["zremrangebyrank", keys.newestUsers, 0, -newestKept - 1],
  ]);
}
