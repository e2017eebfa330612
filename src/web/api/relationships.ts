import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { changeFollowOptions } from "../../domain/actions/follow.ts";
import { accountVerbs } from "../../domain/actions/verbs.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { required } from "../../domain/errors.ts";
import { requestedAmong, requestersAmong } from "../../domain/graph/follow-requests.ts";
import {
  followedAmong,
  followersAmong,
  watchedAmong,
  withoutRetweetsAmong,
} from "../../domain/graph/follows.ts";
import { readOwnPeople } from "../../domain/graph/people-lists.ts";
import { blocksPage, mutesPage, relationsTo, timedMutes } from "../../domain/graph/relations.ts";
import type { UserId, Stamp } from "../../domain/ids.ts";
import type { CountedVerb } from "../../domain/limit-classes.ts";
import { withNameOnly } from "../../domain/users/settings.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { accountIds, getAccount, getAnyAccount } from "./account-param.ts";
import { type ApiRequest, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { Account } from "./entities/account.ts";
import { constants, entity, formatDate, id, moment } from "./entities/fields.ts";
import { type Json, toJson } from "./entities/parts.ts";
import { count, flag, only } from "./input.ts";
import { accountPaging, accountsPage } from "./paging.ts";

const always = { languages: null, domain_blocking: false, endorsed: false, note: "" } as const;

const Relationship = entity("Relationship", {
  id,
  following: z.boolean(),
  showing_reblogs: z.boolean(),
  notifying: z.boolean(),
  followed_by: z.boolean(),
  blocking: z.boolean(),
  blocked_by: z.boolean(),
  muting: z.boolean(),
  muting_notifications: z.boolean(),
  muting_expires_at: moment.nullable(),
  requested: z.boolean(),
  requested_by: z.boolean(),
  ...constants(always),
});

const MutedAccount = entity("MutedAccount", {
  ...Account.shape,
  mute_expires_at: moment.nullable(),
});

const followOptions = z.object({
  reblogs: flag.describe("Whether their retweets are at home; stays as it is if left out."),
  notify: flag.describe("Whether each new tweet is a notification; stays as it is if left out."),
  languages: only("follow.languages"),
});
const muteOptions = z.object({
  duration: count.describe("Seconds until it ends; 0: it does not."),
  notifications: only("mute.notifications", true),
});

const { follow, block, mute } = accountVerbs;

/** Follows, blocks and mutes. */
export const relationshipEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/accounts/relationships", "The user's relationships to some accounts", {
    access: needs("read:follows"),
    query: z.object({ id: accountIds }),
    answer: z.array(Relationship),
    handle: ({ ctx, viewer, query }) => presentRelationships(ctx, viewer, query.id),
  }),
  relate("follow", "Follow, or change the options of a follow", "write:follows", {
    counts: "follow",
    body: followOptions,
    async run(ctx, follower, followee, { reblogs: retweets, notify }) {
      await follow.run(ctx, follower, followee);
      await changeFollowOptions(ctx, { follower, followee }, { retweets, notify });
    },
  }),
  relate("unfollow", "Unfollow", "write:follows", { run: follow.undo }),
  relate("remove_from_followers", "Remove a follower", "write:follows", {
    run: (ctx, me, other) => follow.undo(ctx, other, me),
  }),
  relate("block", "Block", "write:blocks", { run: block.run, counts: "block" }),
  relate("unblock", "Unblock", "write:blocks", { run: block.undo }),
  relate("mute", "Mute", "write:mutes", {
    counts: "mute",
    body: muteOptions,
    run: (ctx, me, other, { duration = 0 }) =>
      mute.run(ctx, me, other, duration === 0 ? undefined : duration),
  }),
  relate("unmute", "Unmute", "write:mutes", { run: mute.undo }),
  endpoint("GET /api/v1/mutes", "Accounts that the user mutes; those whose mute ends come first", {
    access: needs("read:mutes"),
    query: accountPaging,
    answer: z.array(MutedAccount),
    async handle(request) {
      const ends = await timedMutes(request.ctx, request.viewer.id);
      return await ownPage(request, mutesPage, (user) => ({
        mute_expires_at: toJson(formatEnd(ends.get(user.id))),
      }));
    },
  }),
  endpoint("GET /api/v1/blocks", "Accounts that the user blocks", {
    access: needs("read:blocks"),
    query: accountPaging,
    answer: z.array(Account),
    handle: (request) => ownPage(request, blocksPage),
  }),
];

interface Relation<Body extends z.ZodObject> {
  /** What stands before the id in the path; default: "accounts". */
  list?: string;
  run: (ctx: Ctx, me: UserId, other: UserId, body: z.output<Body>) => Promise<void>;
  /** Suspended users can only be unfollowed, unblocked and unmuted, which does not count. */
  counts?: CountedVerb;
  body?: Body;
}

/** An endpoint that changes the relationship to an account, and answers with it. */
export function relate<Body extends z.ZodObject>(
  name: string,
  summary: string,
  scope: Scope,
  { run, list = "accounts", ...declared }: Relation<Body>,
): Endpoint {
  const find = declared.counts === undefined ? getAnyAccount : getAccount;
  return endpoint(`POST /api/v1/${list}/{id}/${name}`, summary, {
    ...declared,
    access: needs(scope),
    answer: Relationship,
    async handle({ ctx, viewer, params, body }) {
      const { id: other } = await find(ctx, params.id);
      await run(ctx, viewer.id, other, body as z.output<Body>);
      const [relationship] = await presentRelationships(ctx, viewer, [other]);
      return required(relationship, "user");
    },
  });
}

/** Suspended users keep their names here, so that the viewer can still unmute, unblock or decline them. */
export async function ownPage(
  request: ApiRequest<User, z.output<typeof accountPaging>>,
  read: typeof blocksPage,
  added?: (user: User) => Record<string, Json>,
): Promise<Json> {
  const { ctx, viewer } = request;
  const readOwn: Parameters<typeof accountsPage>[1] = async (view) => {
    const page = await readOwnPeople(ctx, view, (range) => read(ctx, viewer.id, range));
    const items = page.items.map((user) => (user.suspended ? withNameOnly(user) : user));
    return { ...page, items };
  };
  return await accountsPage(request, readOwn, added);
}

/** The viewer's relationship to each of those who exist, in their order; read at once. */
async function presentRelationships(ctx: Ctx, viewer: User, others: UserId[]) {
  const users = await findUsers(ctx, others);
  const ids = [...users.keys()];
  const [followed, without, watched, followers, requested, requesters, relationTo] =
    await Promise.all([
      followedAmong(ctx, viewer.id, ids),
      withoutRetweetsAmong(ctx, viewer.id, ids),
      watchedAmong(ctx, viewer.id, ids),
      followersAmong(ctx, viewer.id, ids),
      requestedAmong(ctx, viewer.id, ids),
      requestersAmong(ctx, viewer.id, ids),
      relationsTo(ctx, viewer, ids),
    ]);
  return ids.map((other) => {
    const { muted, mutedUntil, blocking, blockedBy } = relationTo(other);
    return {
      id: other,
      following: followed.has(other),
      showing_reblogs: followed.has(other) && !without.has(other),
      notifying: watched.has(other),
      followed_by: followers.has(other),
      blocking,
      blocked_by: blockedBy,
      muting: muted,
      muting_notifications: muted,
      muting_expires_at: formatEnd(mutedUntil),
      requested: requested.has(other),
      requested_by: requesters.has(other),
      ...always,
    } satisfies z.output<typeof Relationship>;
  });
}

/** Null for a mute without an end. */
function formatEnd(until: Stamp | undefined): string | null {
  return until === undefined || until === Infinity ? null : formatDate(until);
}
