import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Conflict, Invalid, type Problem } from "../errors.ts";
import { type UserId, userId } from "../ids.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { cleanLine, fitsGraphemes, isBlank } from "./display-text.ts";
import { foldName, nameProblem } from "./names.ts";
import { hashPassword, passwordProblem } from "./passwords.ts";
import { isNameTaken } from "./store.ts";

export const fullnameLimit = 50;
/** A sign-up that crashed gives its name free after this many seconds. */
const claimSeconds = 60;
const newestKept = 1000;

export interface SignUp {
  name: string;
  fullname: string;
  password: string;
}

/** Throws Invalid, Conflict if the name is taken, TooMany while too many sign up at once. */
export async function signUp(ctx: Ctx, input: SignUp): Promise<UserId> {
  const person = checkSignUp(input);
  if (await isNameTaken(ctx, person.name)) throw new Conflict({ name: "name.taken" });
  const pass = await hashPassword(input.password, ctx.config.bcryptCost);
  return await createUser(ctx, { ...person, pass });
}

function checkSignUp({ name, fullname, password }: SignUp): { name: string; fullname: string } {
  const person = { name: name.trim(), fullname: cleanLine(fullname) };
  const problems: Record<string, Problem | undefined> = {
    name: nameProblem(person.name),
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
 * Claims the name, writes the user, then makes the claim permanent: that commits it. A crash before
 * leaves a claim that lapses and a hash that nothing points to. Throws Conflict: of several at the
 * same moment one wins.
 */
export async function createUser(
  ctx: Ctx,
  person: { name: string; fullname: string; pass: string },
): Promise<UserId> {
  const id = userId(await ctx.redis.incr(keys.userIds));
  const claim = keys.username(foldName(person.name));
  const holder = await ctx.redis.set(claim, id, "EX", claimSeconds, "NX", "GET");
  // Our own id in it means that this very command was sent twice and its first reply was lost.
  if (holder !== null && holder !== id) throw new Conflict({ name: "name.taken" });
  const stamp = stampAt(ctx.now(), id);
  await ctx.jobs.chore("index-person", { user: id }, "later");
  await ctx.redis.hset(keys.user(id), { ...person, bio: "", created_at: stamp });
  if ((await ctx.redis.claimCommit(claim, id)) === 0) throw new Conflict({ name: "name.taken" });
  await listNewest(ctx, id, stamp);
  // The promise above is kept even if this process ends; this one is kept at once.
  await ctx.jobs.chore("index-person", { user: id });
  return id;
}

/** Among the newest people, if they are. */
export async function listNewest(ctx: Ctx, id: UserId, stamp: Stamp): Promise<void> {
  await exec(ctx.redis, [
    ["zadd", keys.newestUsers, stamp, id],
    ["zremrangebyrank", keys.newestUsers, 0, -newestKept - 1],
  ]);
}
