import type { Ctx } from "../../context.ts";
import { exec, execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid, NotFound } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { bestEffort, isOutage } from "../outage.ts";
import { promiseRemoval } from "../promises.ts";
import { currentScope } from "../scope.ts";
import { readSite } from "../site/settings.ts";
import { type SignUp, signUp, listNewest } from "../users/sign-up.ts";
import { type Decision, recordEntry, personSubject } from "../moderation/audit.ts";
import { type Range, readPage } from "../page.ts";
import { cleanText, fitsGraphemes, isBlank } from "../users/display-text.ts";
import { findListedUsers } from "../users/listed.ts";
import {
  findUser,
  findUserByName,
  foldName,
  holderOf,
  keepUser,
  type User,
} from "../users/store.ts";
import { findInvitation, giveBackUse, type Invitation, noteGuest, takeUse } from "./invitations.ts";

interface Join extends SignUp {
  /** Token of an invitation, or empty. */
  invitation: string;
  /** What an applicant says about themselves, or empty. */
  reason: string;
  /** Whether the rules of the site, if there are any, were accepted. */
  agreed: boolean;
}

/**
 * Signs a person up as the site allows it: openly, by an invitation, or as an applicant. An invitation also lets
 * people in without approval. `isWaiting`: an admin has to accept the user first; `invitedBy`: who made the
 * invitation. Throws Invalid, Conflict, TooMany.
 */
export async function join(ctx: Ctx, input: Join, from = "") {
  const site = await readSite(ctx);
  if (site.signUp === "closed") throw new Invalid({ form: "signup.closed" });
  if (site.rules !== "" && !input.agreed) throw new Invalid({ agreed: "rules.unaccepted" });
  const invitation =
    input.invitation === "" ? undefined : await findInvitation(ctx, input.invitation);
  if (invitation !== undefined) return await joinAsGuest(ctx, invitation, input, from);
  if (site.signUp === "invite")
    throw new Invalid({ form: `invitation.${input.invitation === "" ? "needed" : "invalid"}` });
  const reason = site.signUp === "approve" ? checkReason(input.reason) : undefined;
  const user = await signUp(ctx, input, { from, reason });
  return { user, isWaiting: reason !== undefined, invitedBy: undefined };
}

async function joinAsGuest(ctx: Ctx, invitation: Invitation, input: Join, from: string) {
  if (!(await takeUse(ctx, invitation))) throw new Invalid({ form: "invitation.invalid" });
  const began = ctx.now();
  let user: UserId;
  try {
    user = await signUp(ctx, input, { from });
  } catch (error) {
    // The deadline of the request may have passed. An outage does not tell whether the account was made.
    await currentScope.exit(async () => {
      const newUser = isOutage(error) ? await findUserByName(ctx, input.name.trim()) : undefined;
      if (newUser !== undefined && newUser.createdAt >= began * 1000)
        await noteGuest(ctx, invitation, newUser.id);
      else await giveBackUse(ctx, invitation);
    });
    throw error;
  }
  await bestEffort(noteGuest(ctx, invitation, user));
  return { user, isWaiting: false, invitedBy: invitation.by };
}

/** Max characters of what an applicant says about themselves, and of an admin's answer. */
const reasonLimit = 500;
/** A refused applicant reads the answer for 30 days. Then the account and its name are free again. */
const refusedSeconds = 30 * 24 * 60 * 60;

/** Throws Invalid beside `reason`. */
function checkReason(text: string): string {
  const reason = cleanText(text);
  if (isBlank(reason)) throw new Invalid({ reason: "reason.empty" });
  if (!fitsGraphemes(reason, reasonLimit)) throw new Invalid({ reason: "reason.long" });
  return reason;
}

/**
 * Users who have signed up and wait, newest first. Until then nothing of them is shown, as of a suspended user. A try that
 * was interrupted is left out: its name may be that of the next one.
 */
export async function applicationsPage(ctx: Ctx, range: Range) {
  const { items, older } = await readPage(ctx.redis, keys.applicants, range);
  const waiting = (await findListedUsers(ctx, items)).filter(({ user }) => user.waiting);
  const [reasons, holders] = await Promise.all([
    execEach(ctx.redis, waiting, ({ user }) => ["hget", keys.user(user.id), "reason"]),
    execEach(ctx.redis, waiting, ({ user }) => ["get", keys.username(foldName(user.name))]),
  ]);
  const applications = waiting.flatMap(({ user, stamp }, nth) => {
    const reason = (reasons[nth] as string | null) ?? "";
    return holders[nth] === user.id ? [{ user, reason, since: stamp }] : [];
  });
  return { items: applications, older };
}

export async function countApplicants(ctx: Ctx): Promise<number> {
  return await ctx.redis.zcard(keys.applicants);
}

/**
 * Lets an applicant in: they may log in, and are shown. May run twice. They wait until nothing can end the account
 * any more: a refusal before had given it a TTL. One at the same moment may do so until they no longer wait.
 */
export async function acceptApplicant(ctx: Ctx, decision: Decision, applicant: UserId) {
  const user = await requireApplicant(ctx, applicant);
  await recordEntry(ctx, { ...decision, verb: "accept", subject: personSubject(user.id) });
  await ctx.jobs.chore("reconcile-sign-up", { user: user.id }, "later");
  await keepForGood(ctx, user);
  await listNewest(ctx, user.id, user.createdAt);
  await exec(ctx.redis, [["hdel", keys.user(user.id), "waiting_at", "reason", "refusal"]]);
  await keepForGood(ctx, user);
  await ctx.redis.zrem(keys.applicants, user.id);
  await ctx.jobs.chore("index-person", { user: user.id });
}

/** Declines an applicant, who finds the note when they log in. May run twice. If another admin accepts them, that counts. */
export async function refuseApplicant(ctx: Ctx, decision: Decision, applicant: UserId) {
  const user = await requireApplicant(ctx, applicant);
  const note = cleanText(decision.note);
  if (!fitsGraphemes(note, reasonLimit)) throw new Invalid({ note: "reason.long" });
  await recordEntry(ctx, { ...decision, note, verb: "decline", subject: personSubject(user.id) });
  const key = keys.user(user.id);
  const index = async (when?: "later") => ctx.jobs.chore("index-person", { user: user.id }, when);
  await promiseRemoval(ctx, async () => index("later"));
  const since = (await ctx.redis.hget(key, "waiting_at")) ?? "";
  if ((await ctx.redis.updateAnyway(key, "waiting_at", since, "refusal", note)) === 0)
    throw new NotFound("applicant");
  await ctx.redis.expire(key, refusedSeconds);
  await ctx.redis.expire(keys.username(foldName(user.name)), refusedSeconds);
  if ((await ctx.redis.hexists(key, "waiting_at")) === 0) await keepForGood(ctx, user);
  await ctx.redis.zrem(keys.applicants, user.id);
  await promiseRemoval(ctx, async () => index());
}

/** Takes the TTLs away that a refusal has given. */
async function keepForGood(ctx: Ctx, { id, name }: User): Promise<void> {
  await keepUser(ctx, id);
  await ctx.redis.persist(keys.username(foldName(name)));
}

/** The admin's note to a refused applicant, may be empty; undefined if the applicant still waits. */
export async function findRefusal(ctx: Ctx, user: UserId): Promise<string | undefined> {
  return (await ctx.redis.hget(keys.user(user), "refusal")) ?? undefined;
}

async function requireApplicant(ctx: Ctx, id: UserId): Promise<User> {
  const user = await findUser(ctx, id);
  if (user?.waiting !== true || (await holderOf(ctx, user.name)) !== id)
    throw new NotFound("applicant");
  return user;
}
