import { eraseRest } from "../domain/accounts/erase.ts";
import { findImport, isUnderWay } from "../domain/accounts/import-store.ts";
import { parseUserId, userId } from "../domain/ids.ts";
import { indexPerson } from "../domain/search/index-person.ts";
import { foldName } from "../domain/users/store.ts";
import { keys, ttlOf } from "../redis/keys.ts";
import { none } from "./ask.ts";
import { deeds } from "./facts.ts";
import { namesOf } from "./items.ts";
import { eachKey, unlink } from "./run.ts";

/** A name leads for ever to its user, who may be gone. A claim expires. */
export const names = eachKey({
  of: ["username"],
  read: async (run, item) => {
    const { redis } = run.ctx;
    const user = parseUserId((await redis.get(item.key)) ?? "") ?? none.user;
    run.saw("user", user);
    return { ...item, user, called: await redis.hget(keys.user(user), "name") };
  },
  faults: {
    "name-of-another": ({ owner, user, called }) =>
      called !== null &&
      foldName(called) !== owner &&
      `leads to user ${user}, who is called ${called}`,
  },
});

/** Truths about a user: if one exists without an account, the account was lost. */
export const lostUsers = eachKey({
  of: [...deeds],
  read: async ({ ctx, facts }, item) => {
    const user = userId(item.owner);
    if ((await facts.user(user)) !== "lost") return undefined;
    const traces = ["indexedPerson", "sessions", "recoveryCodes", "homeTimeline"] as const;
    const counts = await Promise.all(traces.map((name) => ctx.redis.exists(keys[name](user))));
    return { ...item, user, isErased: !counts.includes(1) };
  },
  place: ({ user }) => ({ key: keys.user(user) }),
  jobs: ({ user }) => [`erase ${user}`],
  faults: {
    "user-lost": [
      {
        // Erasing leaves none of the traces; an account that was lost has at least its names in the index.
        detail: ({ isErased }) =>
          isErased && "the account was deleted, yet something came after it",
        how: "erase that, too",
        repair: ({ ctx }, { user }) => eraseRest(ctx, user),
      },
      { detail: () => "there is no account, yet what it did is kept" },
    ],
  },
});

/** A user who is gone has no data. Lists with another end have checks for both ends. */
export const leftBehind = eachKey({
  of: namesOf(({ onErase }) => onErase === "unlink" || onErase === "step"),
  read: async ({ facts }, item) =>
    (await facts.user(item.owner)) === "gone" ? { ...item, user: userId(item.owner) } : undefined,
  jobs: ({ user }) => [`erase ${user}`, `index-person ${user}`],
  faults: {
    "left-behind": {
      detail: ({ user }) => `is kept, though user ${user} is gone`,
      how: "delete it",
      repair: ({ ctx }, { name, user, key }) =>
        name === "indexedPerson" ? indexPerson(ctx, user) : ctx.redis.unlink(key),
    },
  },
});

/** An unfinished import has a job. */
export const imports = eachKey({
  of: ["import"],
  read: async ({ ctx }, item) => {
    const user = userId(item.owner);
    return { ...item, user, current: await findImport(ctx, user) };
  },
  jobs: ({ user }) => [`import ${user}`, `erase ${user}`],
  faults: {
    "import-stuck": {
      detail: ({ current }, run) =>
        current !== undefined &&
        isUnderWay(current) &&
        !run.isYoung(current.startedAt) &&
        "is not done, and no job goes on with it",
      how: "promise the job again",
      repair: ({ ctx }, { user }) => ctx.jobs.workOnAccount({ task: "import", user }),
    },
  },
});

/** Remaining items belong to an import. */
export const importItems = eachKey({
  of: ["importItems"],
  read: async ({ ctx: { redis } }, item) => {
    const [life, current] = await Promise.all([
      redis.ttl(item.key),
      redis.hget(keys.import(userId(item.owner)), "id"),
    ]);
    return { ...item, life, current };
  },
  faults: {
    "import-stray": {
      detail({ parts: [, id], life, current }, { options }) {
        // Reading a large file takes time before its import is stored.
        const isYoung = ttlOf("importItems") - life < (10 * options.minAge) / 1000;
        return current !== id && !isYoung && "belongs to no import";
      },
      how: "delete it",
      repair: unlink,
    },
  },
});
