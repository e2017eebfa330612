import { randomUUID } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import type { Place } from "../concurrency-limit.ts";
import { Invalid } from "../errors.ts";
import { type UserId, stampAt } from "../ids.ts";
import { sayRarely } from "../say-rarely.ts";
import { checkPassword } from "./passwords.ts";
import { findUser, findUserByName, keepUser, type User } from "./store.ts";

/** A user who has proved their identity, and their generation at that time. */
export interface VerifiedLogIn {
  user: UserId;
  generation: string;
}

/**
 * The user with this name and password. Throws Invalid, with the same error after the same time for a wrong
 * name and a wrong password. Only the right password tells that a user is suspended. Throws TooMany while too
 * many log in at once; `place`: where its check of the password waits.
 */
export async function logIn(
  ctx: Ctx,
  { name, password }: { name: string; password: string },
  place?: Place,
): Promise<VerifiedLogIn> {
  const user = await findUserByName(ctx, name.trim());
  const credentials = user === undefined ? undefined : await findCredentials(ctx, user.id);
  const matches = await checkPassword(password, credentials?.hash, ctx.config.bcryptCost, place);
  if (user !== undefined && !matches) noteGuess(ctx, user.id);
  if (user === undefined || credentials === undefined || !matches)
    throw new Invalid({ form: "credentials.wrong" });
  // Only the right password tells it.
  if (credentials.isRefused) throw new Invalid({ form: "account.refused" });
  return await verifyLogIn(ctx, user, credentials.generation);
}

/** For a user who has proved their identity. Throws Invalid for applicants and suspended users. */
export async function verifyLogIn(ctx: Ctx, user: User, generation: string) {
  if (user.waiting) throw new Invalid({ form: "account.waiting" });
  if (user.suspended) throw new Invalid({ form: "account.suspended" });
  // Keeps the user if the sign-up ended just before it was done.
  await keepUser(ctx, user.id);
  return { user: user.id, generation };
}

/** Runs in the background, so that a wrong password takes no longer than an unknown name. */
export function noteGuess(ctx: Ctx, user: UserId, what: "password" | "code" = "password"): void {
  ctx.log.warn({ user }, `wrong ${what}`);
  const key = keys.guesses(user);
  const noted = exec(ctx.redis, [
    ["hsetnx", key, "since", stampAt(ctx.now(), user)],
    ["hincrby", key, "count", 1],
    ["expire", key, ttlOf("guesses")],
  ]);
  noted.catch((error: unknown) => {
    sayRarely(ctx.log, "warn", { reason: String(error) }, "a guess was not noted");
  });
}

/** The stored bcrypt hash, and the generation of sessions that its password opens. */
export interface Credentials {
  hash: string;
  generation: string;
  /** True for an applicant whom an admin has declined. */
  isRefused: boolean;
}

/** The current one; undefined if there is no such user. */
export async function findCredentials(ctx: Ctx, id: UserId): Promise<Credentials | undefined> {
  const fields = ["pass", "generation", "deleted_at", "refusal"];
  const [hash, generation, deletedAt, refusal] = await ctx.redis.hmget(keys.user(id), ...fields);
  if (typeof hash !== "string" || typeof deletedAt === "string") return undefined;
  return { hash, generation: generation ?? "", isRefused: typeof refusal === "string" };
}

/**
 * The credentials of a signed-in user who types the password again; undefined if it is wrong. `password` is
 * undefined for a user who has just confirmed in another way. Throws TooMany.
 */
export async function checkOwnPassword(ctx: Ctx, { id }: User, password: string | undefined) {
  const credentials = await findCredentials(ctx, id);
  if (password === undefined) return credentials;
  const place = { queue: "known", client: id };
  const isRight = await checkPassword(password, credentials?.hash, ctx.config.bcryptCost, place);
  return isRight ? credentials : undefined;
}

/** Field and value for a user's hash that end every session, token and code of the user: see User.generation. */
export function nextGeneration(generation: string = randomUUID()): ["generation", string] {
  return ["generation", generation];
}

/** Throws Invalid, as for a wrong password, if the log-in is no longer valid. */
export async function requireValidLogIn(ctx: Ctx, { user: id, generation }: VerifiedLogIn) {
  const user = await findUser(ctx, id);
  if (user?.generation !== generation) throw new Invalid({ form: "credentials.wrong" });
  if (user.suspended) throw new Invalid({ form: "account.suspended" });
}

/** Wrong passwords and codes that were typed to log in to an account, by its owner or by others. */
export async function findFailedLogIns(ctx: Ctx, user: UserId) {
  const [count, since] = await ctx.redis.hmget(keys.guesses(user), "count", "since");
  if (typeof count !== "string" || typeof since !== "string") return undefined;
  return { count: Number(count), since: Number(since) };
}
