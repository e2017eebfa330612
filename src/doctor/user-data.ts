import { eraseRest } from "../domain/accounts/erase.ts";
import { parseUserId, userId } from "../domain/ids.ts";
import { indexPerson } from "../domain/search/index-person.ts";
import { foldName } from "../domain/users/store.ts";
import { keys } from "../redis/keys.ts";
import { none } from "./ask.ts";
import { type Run, keyCheck } from "./run.ts";
import { type Item, namesOf } from "./items.ts";

/** A name leads for ever to its user, who may be gone. A claim expires. */
export const names = keyCheck({
  of: ["username"],
  async read(run, items) {
    const holders = await run.ask(items, ({ key }) => ({ holder: ["get", key] }));
    const led = holders.map((item) => ({
      ...item,
      user: parseUserId(item.holder ?? "") ?? none.user,
    }));
    for (const { user } of led) run.saw("user", user);
    return await run.ask(led, ({ user }) => ({ called: ["hget", keys.user(user), "name"] }));
  },
  faults: {
    "name-of-another": ({ owner, user, called }) =>
      called !== null &&
      foldName(called) !== owner &&
      `leads to user ${user}, who is called ${called}`,
  },
});

async function readOwners(run: Run, items: Item[]) {
  const stateOf = await run.facts.users(items.map(({ owner }) => owner));
  return items.map((item) => ({ ...item, user: userId(item.owner), state: stateOf(item.owner) }));
}

/** Truths about a user: if one exists without an account, the account was lost. */
export const lostUsers = keyCheck({
  of: ["userTimeline", "followings", "likes", "retweets", "blocks"],
  read: async (run, items) =>
    await run.ask(await readOwners(run, items), ({ user }) => ({
      indexed: ["exists", keys.indexedPerson(user)],
      sessions: ["exists", keys.sessions(user)],
      codes: ["exists", keys.recoveryCodes(user)],
      home: ["exists", keys.homeTimeline(user)],
    })),
  place: ({ user }) => ({ key: keys.user(user) }),
  jobs: ({ user }) => [`erase ${user}`],
  faults: {
    "user-lost": [
      {
        // Erasing leaves none of these; an account that was lost has at least its names in the index.
        detail: ({ state, indexed, sessions, codes, home }) =>
          state === "lost" &&
          indexed + sessions + codes + home === 0 &&
          "the account was deleted, yet something came after it",
        how: "erase that, too",
        repair: ({ ctx }, { user }) => eraseRest(ctx, user),
      },
      {
        detail: ({ state }) => state === "lost" && "there is no account, yet what it did is kept",
      },
    ],
  },
});

/** A user who is gone has no data. Lists with another end have checks for both ends. */
export const leftBehind = keyCheck({
  of: namesOf(({ onErase }) => onErase === "unlink" || onErase === "step"),
  read: readOwners,
  jobs: ({ user }) => [`erase ${user}`, `index-person ${user}`],
  faults: {
    "left-behind": {
      detail: ({ state, user }) => state === "gone" && `is kept, though user ${user} is gone`,
      how: "delete it",
      repair: ({ ctx }, { name, user, key }) =>
        name === "indexedPerson" ? indexPerson(ctx, user) : ctx.redis.unlink(key),
    },
  },
});

/** The newest users exist and are shown; suspended users and applicants are what their lists say. */
export const listedUsers = keyCheck({
  of: ["newestUsers", "suspended", "applicants", "staff"],
  each: "member",
  read: (run, members) =>
    run.ask(members, ({ id }) => ({
      fields: ["hmget", keys.user(userId(id)), "name", "suspended_at", "waiting_at", "role"],
    })),
  jobs: ({ id }) => [`erase ${id}`],
  faults: {
    "user-listed-wrongly": {
      detail({ id, name, fields: [called, suspendedAt, waitingAt, role] }) {
        const isShown = suspendedAt === null && waitingAt === null;
        const isSuspendedHere = name === "suspended" && suspendedAt !== null;
        const isWaitingHere = name === "applicants" && waitingAt !== null;
        const isStaffHere = name === "staff" && role !== null;
        const isNewHere = name === "newestUsers" && isShown;
        const isRight = isSuspendedHere || isWaitingHere || isStaffHere || isNewHere;
        if (called !== null && isRight) return undefined;
        return `names ${id}, who does not belong there or is gone`;
      },
      how: "take the user out",
      repair: ({ ctx }, { name, key, id }) =>
        name === "staff" ? ctx.redis.hdel(key, id) : ctx.redis.zrem(key, id),
    },
  },
});
