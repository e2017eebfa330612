import { digestOfAddress, reconcileAddress } from "../domain/accounts/mail.ts";
import { type UserId, parseClientId, parseUserId, userId } from "../domain/ids.ts";
import { idleSeconds } from "../domain/users/sessions.ts";
import { keys } from "../redis/keys.ts";
import { none, parseObject } from "./items.ts";
import { eachKey, keyCheck, type Run, unlink } from "./run.ts";

/**
 * A session is in its user's list, and of its user's generation, see User.generation. Other sessions are
 * invalid and only take room.
 */
export const sessions = eachKey({
  of: ["sessionPrefix"],
  read: async ({ ctx: { redis } }, item) => {
    const [text, life] = await Promise.all([redis.get(item.key), redis.ttl(item.key)]);
    const { user: id, generation = "" } = parseObject(text);
    const user = parseUserId(String(id));
    if (user === undefined) return undefined;
    const [listed, present] = await Promise.all([
      redis.zscore(keys.sessions(user), item.owner),
      redis.hget(keys.user(user), "generation"),
    ]);
    return { ...item, user, life, listed, hasLeft: generation !== (present ?? "") };
  },
  jobs: ({ user }) => [`erase ${user}`],
  faults: {
    "session-unlisted": {
      detail({ user, life, listed }, { options }) {
        const isYoung = idleSeconds - life < options.minAge / 1000;
        return listed === null && !isYoung && `the list of user ${user} does not name it`;
      },
      how: "delete it",
      repair: unlink,
    },
    "session-generation": {
      detail: ({ user, hasLeft }) => hasLeft && `user ${user} has left its generation`,
      how: "delete it, and take it from the list",
      async repair({ ctx }, { key, owner: session, user }) {
        await ctx.redis.zrem(keys.sessions(user), session);
        await ctx.redis.del(key);
      },
    },
  },
});

/** Every app that a user has allowed exists, without a TTL. */
export const userTokens = eachKey({
  of: ["tokens"],
  each: "member",
  read: async ({ ctx }, member) => {
    const app = keys.app(parseClientId(String(parseObject(member.value)["app"])) ?? none.app);
    return { ...member, app, life: await ctx.redis.ttl(app) };
  },
  faults: {
    "token-app": {
      detail({ app, life }) {
        if (life === -1) return undefined;
        return life === -2 ? `lets in ${app}, which is gone` : `${app} vanishes in ${life} s`;
      },
      how: "keep the app for good; end the token of one that is gone",
      async repair({ ctx }, { key, id, value, app }) {
        await ctx.redis.persist(app);
        if ((await ctx.redis.exists(app)) === 0) await ctx.redis.clearFields(key, id, value);
      },
    },
  },
});

/** Every app token belongs to an existing app. */
export const appTokens = eachKey({
  of: ["appTokens"],
  read: async ({ ctx }, item) => {
    const app = keys.app(parseClientId(item.owner) ?? none.app);
    return (await ctx.redis.exists(app)) === 0 ? item : undefined;
  },
  faults: {
    "token-app": {
      detail: () => "belongs to an app that is gone",
      how: "end the tokens",
      repair: unlink,
    },
  },
});

/** Has no faults, but tells the numbers of the apps for the check of their counter. */
export const apps = eachKey({
  of: ["app"],
  read: async (run, item) => {
    run.saw("app", String(parseObject(await run.ctx.redis.get(item.key))["id"]));
    return item;
  },
  faults: {},
});

/** Digest of the user's confirmed address. Empty without an address. */
async function digestOf({ ctx }: Run, user: UserId): Promise<string> {
  const [mail, deletedAt] = await ctx.redis.hmget(keys.user(user), "mail", "deleted_at");
  return mail && typeof deletedAt !== "string" ? digestOfAddress(mail) : "";
}

/** A confirmed mail address leads to its user. */
export const addresses = eachKey({
  of: ["user"],
  read: async (run, item) => {
    const user = userId(item.name === "user" ? item.owner : item.id);
    const confirmed = await digestOf(run, user);
    const digest = item.name === "user" ? confirmed : item.owner;
    if (digest === "") return undefined;
    const listed = await run.ctx.redis.zscore(keys.mailUsers(digest), user);
    return { ...item, user, digest, isConfirmed: digest === confirmed, listed };
  },
  jobs: ({ user, digest }) => [`reconcile-mail ${user} ${digest}`],
  faults: {
    "mail-mirror": {
      detail({ user, isConfirmed, listed }) {
        if (isConfirmed) return listed === null && "is not in the list of its mail address";
        return listed !== null && `lists ${user}, who has another mail address or none`;
      },
      how: "make the list agree with the account",
      repair: ({ ctx }, { user, digest }) => reconcileAddress(ctx, { user, digest }),
    },
  },
});

/** The list of a mail address has the users who confirmed it. */
export const addressLists = keyCheck({ ...addresses, of: ["mailUsers"], each: "member" });
