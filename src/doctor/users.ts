import { parseUserId, type UserId, userId } from "../domain/ids.ts";
import { reconcileAvatar } from "../domain/users/avatars.ts";
import { foldName, isName } from "../domain/users/store.ts";
import { reconcileSignUp } from "../domain/users/sign-up.ts";
import { keys } from "../redis/keys.ts";
import { type Run, keyCheck } from "./run.ts";

const needed = ["name", "created_at", "pass"];
const optional = [
  "deleted_at",
  "suspended_at",
  "avatar",
  "pinned",
  "waiting_at",
  "refusal",
  "role",
];

/** Accounts are complete, have their names, and agree with what their fields imply. */
export const accounts = keyCheck({
  of: ["user"],
  async read(run, items) {
    const users = items.map((item) => ({ ...item, user: userId(item.owner) }));
    const records = await run.ask(users, ({ key, user }) => ({
      values: ["hmget", key, ...needed, ...optional],
      life: ["ttl", key],
      listed: ["zscore", keys.suspended, user],
      applied: ["zscore", keys.applicants, user],
      staffed: ["hget", keys.staff, user],
      pictures: ["exists", keys.avatar(user)],
    }));
    const stored = records.map(({ values, ...user }) => {
      const [
        called,
        createdAt,
        ,
        deletedAt,
        suspendedAt,
        avatar,
        pinned,
        waitingAt,
        refusal,
        role,
      ] = values;
      const absent = needed.filter((_, nth) => !values[nth]);
      const isSettled = user.life === -1 && !run.isYoung(createdAt);
      const status = { deletedAt, suspendedAt, waitingAt, refusal, role };
      const account = { called: called ?? "", avatar, pinned, ...status };
      return { ...user, ...account, absent, isSettled };
    });
    const named = await run.ask(stored, ({ called }) => ({
      holder: ["get", keys.username(foldName(called))],
      nameLife: ["ttl", keys.username(foldName(called))],
    }));
    const factsOf = await run.facts.tweets(named.flatMap(({ pinned }) => pinned ?? []));
    const drafts = named.filter(({ life }) => life >= 0);
    const active = await run.facts.withDeeds(drafts.map(({ user }) => user));
    return named.map((account) => ({
      ...account,
      stays: account.isSettled && account.deletedAt === null,
      tweet: factsOf(account.pinned ?? ""),
      // An uncommitted sign-up has none.
      hasDeeds: active.has(account.user),
    }));
  },
  jobs: ({ user }) => [`erase ${user}`, `reconcile-avatar ${user}`, `reconcile-sign-up ${user}`],
  faults: {
    "user-incomplete": ({ stays, absent }) =>
      stays && absent.length > 0 && `has no ${absent.join(", ")}`,
    "user-not-erased": {
      detail: ({ isSettled, deletedAt }) =>
        isSettled && deletedAt !== null && "is deleted, and no job erases it",
      how: "promise the job again",
      repair: ({ ctx }, { user }) => ctx.jobs.workOnAccount({ task: "erase", user, pass: "first" }),
    },
    "user-not-kept": {
      detail({ user, called, life, holder, hasDeeds, refusal }) {
        // A declined applicant expires.
        if (refusal !== null) return undefined;
        const isUnheld = parseUserId(holder ?? "") === undefined;
        const hasSignedUp = holder === user || (isUnheld && hasDeeds);
        return (
          life >= 0 && called !== "" && hasSignedUp && `has signed up, yet vanishes in ${life} s`
        );
      },
      how: "keep the user, and the name if no other has it",
      async repair(run, account) {
        await claimName(run, account);
        await reconcileSignUp(run.ctx, account.user);
      },
    },
    "user-name": {
      detail: ({ stays, user, called, holder, nameLife }) =>
        stays &&
        isName(called) &&
        (holder !== user || nameLife !== -1) &&
        "its name does not lead to it for good",
      how: "give it its name, if no other account has it",
      repair: (run, account) => claimName(run, account),
    },
    "user-suspended": {
      detail: ({ stays, suspendedAt, listed }) =>
        stays &&
        (suspendedAt === null) !== (listed === null) &&
        "its `suspended_at` and the list of suspended users differ",
      how: "make the list agree with the account",
      repair: ({ ctx: { redis } }, { user, suspendedAt }) =>
        suspendedAt
          ? redis.zadd(keys.suspended, "NX", suspendedAt, user)
          : redis.zrem(keys.suspended, user),
    },
    "user-waiting": {
      detail: ({ stays, waitingAt, applied }) =>
        stays &&
        (waitingAt === null) !== (applied === null) &&
        "its `waiting_at` and the list of applicants differ",
      how: "make the list agree with the account",
      repair: ({ ctx: { redis } }, { user, waitingAt }) =>
        waitingAt
          ? redis.zadd(keys.applicants, "NX", waitingAt, user)
          : redis.zrem(keys.applicants, user),
    },
    "user-role": {
      detail: ({ stays, role, staffed }) =>
        stays && role !== staffed && "its `role` and the list of the staff differ",
      how: "make the list agree with the account",
      repair: ({ ctx: { redis } }, { user, role }) =>
        role ? redis.hset(keys.staff, user, role) : redis.hdel(keys.staff, user),
    },
    "user-avatar": {
      detail: ({ stays, avatar, pictures }) =>
        stays && !avatar !== (pictures === 0) && "its `avatar` and the picture that is kept differ",
      how: "make `avatar` agree with the picture",
      repair: ({ ctx }, { user }) => reconcileAvatar(ctx, user),
    },
    "user-pinned": {
      // A pinned tweet may be gone: then nothing is shown.
      detail: ({ stays, user, pinned, tweet }) =>
        stays &&
        tweet?.alive === true &&
        (tweet.author !== user || tweet.retweetOf !== undefined) &&
        `has pinned ${pinned}, by another`,
      how: "unpin it",
      repair: ({ ctx }, { key, pinned }) => ctx.redis.clearFields(key, "pinned", pinned ?? ""),
    },
  },
});

/** A name that another user has stays theirs: then the operator decides about this account. */
async function claimName(
  { ctx }: Run,
  { user, called }: { user: UserId; called: string },
): Promise<void> {
  const name = keys.username(foldName(called));
  await ctx.redis.set(name, user, "NX");
  await ctx.redis.claimCommit(name, user, user);
}
