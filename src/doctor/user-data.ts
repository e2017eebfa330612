import { eraseRest } from "../domain/accounts/erase.ts";
import { findImport, isUnderWay } from "../domain/accounts/import-store.ts";
import { type ConversationId, parseUserId, userId } from "../domain/ids.ts";
import { indexPerson } from "../domain/search/index-person.ts";
import { foldName } from "../domain/users/store.ts";
import { type KeyName, keys, keyTable, ttlOf } from "../redis/keys.ts";
import { none, rowOf } from "./items.ts";
import { deeds } from "./facts.ts";
import { eachKey, takeOut, unlink } from "./run.ts";
import { draftedPictures, listDue, nextDue } from "../domain/tweets/saved-drafts.ts";
import { lacks, missingOf } from "./pictures.ts";
import { relistConversation } from "../domain/messages/list-message.ts";
import { unlistConversation } from "../domain/messages/marks.ts";
import { peopleIn } from "../domain/messages/people.ts";

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

const keyNames = Object.keys(keyTable) as KeyName[];

/** A user who is gone has no data. Lists with another end have checks for both ends. */
export const leftBehind = eachKey({
  of: keyNames.filter((name) => ["unlink", "step"].includes(rowOf(name).onErase ?? "")),
  read: async ({ facts }, item) =>
    (await facts.user(item.owner)) === "gone" ? { ...item, user: userId(item.owner) } : undefined,
  jobs: ({ user }) => [`index-person ${user}`],
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
  read: async (run, item) => {
    const user = userId(item.owner);
    const current = await findImport(run.ctx, user);
    if (current === undefined || !isUnderWay(current)) return undefined;
    return run.isYoung(current.startedAt) ? undefined : { ...item, user };
  },
  jobs: ({ user }) => [`import ${user}`],
  faults: {
    "import-stuck": {
      detail: () => "is not done, and no job goes on with it",
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

/** A user with a draft that will be sent is listed, and the files of drafts are there. */
export const savedDrafts = eachKey({
  of: ["savedDrafts"],
  read: async ({ ctx }, item) => {
    const user = userId(item.owner);
    const [at, listed, pictures] = await Promise.all([
      nextDue(ctx, user),
      ctx.redis.zscore(keys.dueDrafts, user),
      draftedPictures(ctx, user),
    ]);
    const missing = await missingOf(ctx, ...pictures.values());
    return { ...item, user, at, listed: Number(listed ?? Infinity), missing };
  },
  faults: {
    "draft-unlisted": {
      detail: ({ at, listed }) => at !== undefined && listed > at && "is not sent in time",
      how: "list it",
      repair: ({ ctx }, { user }) => listDue(ctx, user),
    },
    "draft-picture-missing": ({ missing }) => lacks(missing),
  },
});

/** A user's lists have conversations of the user, with messages in them. */
export const conversationLists = eachKey({
  of: ["conversations", "messageRequests"],
  each: "member",
  read: async (run, member) => {
    const id = member.id as ConversationId;
    if (run.isYoung(member.value)) return undefined;
    const hasMessages = (await run.ctx.redis.exists(keys.conversation(id))) === 1;
    return { ...member, id, hasMessages, isOwn: peopleIn(id).includes(userId(member.owner)) };
  },
  faults: {
    "conversation-stray": {
      detail({ id, value, hasMessages, isOwn }) {
        if (!isOwn) return `has ${id}, which is no conversation of the user`;
        return value !== "0" && !hasMessages && `has ${id}, in which there is no message`;
      },
      how: "take it out",
      async repair(run, one) {
        if (!one.isOwn) return await takeOut(run, one);
        await unlistConversation(run.ctx, userId(one.owner), one.id);
        // A message may have come meanwhile.
        await relistConversation(run.ctx, one.id);
      },
    },
  },
});
