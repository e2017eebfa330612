import { parseUserId, type UserId, userId } from "../domain/ids.ts";
import { reconcileAvatar } from "../domain/users/avatars.ts";
import { foldName, isName } from "../domain/users/store.ts";
import { reconcileSignUp } from "../domain/users/sign-up.ts";
import { type KeyName, keys } from "../redis/keys.ts";
import { rowOf } from "./items.ts";
import { eachKey, type Run, takeOut } from "./run.ts";

const needed = ["name", "created_at", "pass"];
const optional = ["deleted_at", "avatar", "pinned", "refusal"];

const jobsAbout = (user: string) => [`reconcile-avatar ${user}`, `reconcile-sign-up ${user}`];

/** Accounts are complete, have their names, and agree with what their fields imply. */
export const accounts = eachKey({
  of: ["user"],
  read: async (run, item) => {
    const { redis } = run.ctx;
    const user = userId(item.owner);
    const [values, life, pictures] = await Promise.all([
      redis.hmget(item.key, ...needed, ...optional),
      redis.ttl(item.key),
      redis.exists(keys.avatar(user)),
    ]);
    const [called, createdAt, , deletedAt, avatar, pinned, refusal] = values;
    const name = keys.username(foldName(called ?? ""));
    const [holder, nameLife] = await Promise.all([redis.get(name), redis.ttl(name)]);
    const isSettled = life === -1 && !run.isYoung(createdAt);
    const named = { user, called: called ?? "", life, holder, nameLife };
    return {
      ...item,
      ...named,
      avatar,
      pictures,
      pinned,
      refusal,
      absent: needed.filter((_, nth) => !values[nth]),
      isErased: isSettled && deletedAt !== null,
      stays: isSettled && deletedAt === null,
      tweet: pinned ? await run.facts.tweet(pinned) : undefined,
      // An uncommitted sign-up has none.
      hasDeeds: life >= 0 && (await run.facts.hasDeeds(user)),
    };
  },
  jobs: ({ user }) => jobsAbout(user),
  faults: {
    "user-incomplete": ({ stays, absent }) =>
      stays && absent.length > 0 && `has no ${absent.join(", ")}`,
    "user-not-erased": {
      detail: ({ isErased }) => isErased && "is deleted, and no job erases it",
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

/** Lists of users that mirror a field of the account; the staff with its value. */
const mirrors = [
  { kind: "user-suspended", field: "suspended_at", list: "suspended", title: "suspended users" },
  { kind: "user-waiting", field: "waiting_at", list: "applicants", title: "applicants" },
  { kind: "user-role", field: "role", list: "staff", title: "the staff" },
] as const;
const mirroredFields = mirrors.map(({ field }) => field);

async function entryIn({ ctx }: Run, list: KeyName, user: string): Promise<string | null> {
  const key = keys[list] as string;
  return await ctx.redis[rowOf(list).type === "hash" ? "hget" : "zscore"](key, user);
}

/** The account of each user agrees with the lists of suspended users, applicants and staff. */
export const mirroredUsers = mirrors.map(({ kind, field, list, title }) =>
  eachKey({
    of: ["user"],
    read: async (run, item) => {
      const [[createdAt, deletedAt, stored = null], life, listed] = await Promise.all([
        run.ctx.redis.hmget(item.key, "created_at", "deleted_at", field),
        run.ctx.redis.ttl(item.key),
        entryIn(run, list, item.owner),
      ]);
      const stays = life === -1 && deletedAt === null && !run.isYoung(createdAt);
      return stays ? { ...item, stored, listed } : undefined;
    },
    jobs: ({ owner }) => jobsAbout(owner),
    faults: {
      [kind]: {
        detail({ stored, listed }) {
          const isSame =
            list === "staff" ? stored === listed : (stored === null) === (listed === null);
          return !isSame && `its \`${field}\` and the list of ${title} differ`;
        },
        how: "make the list agree with the account",
        async repair({ ctx: { redis } }, { owner, stored }) {
          if (list === "staff")
            return stored ? redis.hset(keys.staff, owner, stored) : redis.hdel(keys.staff, owner);
          return stored
            ? redis.zadd(keys[list], "NX", stored, owner)
            : redis.zrem(keys[list], owner);
        },
      },
    },
  }),
);

/** The newest users exist and are shown; suspended users, applicants and staff are what their lists say. */
export const listedUsers = eachKey({
  of: ["newestUsers", ...mirrors.map(({ list }) => list)],
  each: "member",
  read: async ({ ctx }, member) => ({
    ...member,
    fields: await ctx.redis.hmget(keys.user(userId(member.id)), "name", ...mirroredFields),
  }),
  faults: {
    "user-listed-wrongly": {
      detail({ id, name, fields: [called, ...values] }) {
        const nth = mirrors.findIndex(({ list }) => list === name);
        const [suspendedAt, waitingAt] = values;
        const isShown = suspendedAt === null && waitingAt === null;
        const isRight = nth === -1 ? isShown : values[nth] !== null;
        return (called === null || !isRight) && `names ${id}, who does not belong there or is gone`;
      },
      how: "take the user out",
      repair: takeOut,
    },
  },
});

/** Who gets the weekly mail exists. */
export const weeklyMails = eachKey({
  of: ["digests"],
  each: "member",
  read: async ({ facts }, member) =>
    (await facts.user(member.id)) === "gone" ? member : undefined,
  faults: {
    "mail-of-nobody": {
      detail: ({ id }) => `lists user ${id}, who is gone`,
      how: "take the user out",
      repair: takeOut,
    },
  },
});
