import { digestOfAddress, reconcileAddress } from "../domain/accounts/mail-address.ts";
import { type UserId, parseClientId, parseUserId, userId } from "../domain/ids.ts";
import { idleSeconds } from "../domain/users/sessions.ts";
import { keys } from "../redis/keys.ts";
import { none, parseObject } from "./ask.ts";
import { type Run, keyCheck } from "./run.ts";

/**
 * A session is in its user's list, and of its user's generation, see User.generation. Other sessions are
 * invalid and only take room.
 */
export const sessions = keyCheck({
  of: ["sessionPrefix"],
  async read(run, items) {
    const texts = await run.ask(items, ({ key }) => ({ text: ["get", key], life: ["ttl", key] }));
    const stored = texts.map((item) => {
      const { user, generation = "" } = parseObject(item.text);
      return { ...item, user: parseUserId(String(user)) ?? none.user, generation };
    });
    return await run.ask(stored, ({ owner: session, user }) => ({
      listed: ["zscore", keys.sessions(user), session],
      present: ["hget", keys.user(user), "generation"],
    }));
  },
  jobs: ({ user }) => [`erase ${user}`],
  faults: {
    "session-unlisted": {
      detail({ user, life, listed }, { options }) {
        const isYoung = idleSeconds - life < options.minAge / 1000;
        const isUnlisted = user !== none.user && listed === null && !isYoung;
        return isUnlisted && `the list of user ${user} does not name it`;
      },
      how: "delete it",
      repair: ({ ctx }, { key }) => ctx.redis.del(key),
    },
    "session-generation": {
      detail: ({ user, generation, present }) =>
        user !== none.user &&
        generation !== (present ?? "") &&
        `user ${user} has left its generation`,
      how: "delete it, and take it from the list",
      async repair({ ctx }, { key, owner: session, user }) {
        await ctx.redis.zrem(keys.sessions(user), session);
        await ctx.redis.del(key);
      },
    },
  },
});

/** Every app that a user has allowed exists, without a TTL. */
export const userTokens = keyCheck({
  of: ["tokens"],
  each: "member",
  async read(run, members) {
    const tokens = members.map((member) => {
      const app = parseClientId(String(parseObject(member.value)["app"])) ?? none.app;
      return { ...member, app: keys.app(app) };
    });
    return await run.ask(tokens, ({ app }) => ({ life: ["ttl", app] }));
  },
  jobs: ({ owner }) => [`erase ${owner}`],
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
export const appTokens = keyCheck({
  of: ["appTokens"],
  read: (run, items) =>
    run.ask(items, ({ owner }) => ({
      app: ["exists", keys.app(parseClientId(owner) ?? none.app)],
    })),
  faults: {
    "token-app": {
      detail: ({ app }) => app === 0 && "belongs to an app that is gone",
      how: "end the tokens",
      repair: ({ ctx }, { key }) => ctx.redis.unlink(key),
    },
  },
});

/** Has no faults, but tells the numbers of the apps for the check of their counter. */
export const apps = keyCheck({
  of: ["app"],
  async read(run, items) {
    const grants = await run.ask(items, ({ key }) => ({ text: ["get", key] }));
    for (const { text } of grants) run.saw("app", String(parseObject(text)["id"]));
    return grants;
  },
  faults: {},
});

interface Listed {
  user: UserId;
  /** Digest of a mail address. */
  digest: string;
}

const how = "make the list agree with the account";
const repair = ({ ctx }: Run, { user, digest }: Listed) => reconcileAddress(ctx, { user, digest });
const jobsFor = ({ user, digest }: Listed) => [`erase ${user}`, `reconcile-mail ${user} ${digest}`];

/** Digest of the user's confirmed address, from the reply of `hmget … mail deleted_at`. Empty without an address. */
function digestIn([mail, deletedAt]: (string | null)[]): string {
  return mail && typeof deletedAt !== "string" ? digestOfAddress(mail) : "";
}

/** A confirmed mail address leads to its user. */
export const addresses = keyCheck({
  of: ["user"],
  async read(run, items) {
    const records = await run.ask(items, ({ key }) => ({
      fields: ["hmget", key, "mail", "deleted_at"],
    }));
    const owned = records
      .map((item) => ({ ...item, user: userId(item.owner), digest: digestIn(item.fields) }))
      .filter(({ digest }) => digest !== "");
    return await run.ask(owned, ({ user, digest }) => ({
      listed: ["zscore", keys.mailUsers(digest), user],
    }));
  },
  jobs: (state) => jobsFor(state),
  faults: {
    "mail-mirror": {
      detail: ({ listed }) => listed === null && "is not in the list of its mail address",
      how,
      repair: (run, state) => repair(run, state),
    },
  },
});

/** The list of a mail address has the users who confirmed it. */
export const addressLists = keyCheck({
  of: ["mailUsers"],
  each: "member",
  async read(run, members) {
    const entries = await run.ask(members, ({ id }) => ({
      fields: ["hmget", keys.user(userId(id)), "mail", "deleted_at"],
    }));
    return entries.map((item) => ({ ...item, user: userId(item.id), digest: item.owner }));
  },
  jobs: (state) => jobsFor(state),
  faults: {
    "mail-mirror": {
      detail: ({ user, digest, fields }) =>
        digestIn(fields) !== digest && `lists ${user}, who has another mail address or none`,
      how,
      repair: (run, state) => repair(run, state),
    },
  },
});
