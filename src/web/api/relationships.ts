import type { Request } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { Invalid } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Act } from "../../domain/limits.ts";
import { block, unblock } from "../../domain/actions/block.ts";
import { follow, unfollow } from "../../domain/actions/follow.ts";
import { blocksPage, mutesPage } from "../../domain/graph/relations.ts";
import { mute, unmute } from "../../domain/actions/mute.ts";
import { readOwnPeople } from "../../domain/graph/people-lists.ts";
import type { User } from "../../domain/users/store.ts";
import { limitAct } from "../middleware/limits.ts";
import { idsIn } from "./accounts.ts";
import { type Endpoint, endpoint, many, needs, one } from "./endpoint.ts";
import { presentRelationship, presentRelationships } from "./entities/relationship.ts";
import { count, texts } from "./input.ts";
import { accountPaging, pagingOf } from "./paging.ts";
import { anyPersonOf, personOf } from "./account-param.ts";
import { sendPeople } from "./send.ts";

interface Verb {
  summary: string;
  scope: Scope;
  /** The limit that it counts for; none for what takes something away. */
  act?: Act;
  /** Suspended users can only be unfollowed, unblocked and unmuted. */
  find: (ctx: Ctx, req: Request) => Promise<User>;
  run: (ctx: Ctx, me: UserId, other: UserId) => Promise<void>;
}

/** How the viewer stands to others: what they do with another user and take back. */
export const relationshipEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v1/accounts/relationships",
    summary: "How one stands to some people",
    access: needs("read:follows"),
    query: z.object({ id: texts }),
    answer: many("Relationship"),
    async handle({ ctx, res, viewer, query }) {
      res.json(await presentRelationships(ctx, viewer, idsIn(query.id)));
    },
  }),
  relate("follow", {
    summary: "Follow",
    scope: "write:follows",
    act: "follows",
    find: personOf,
    run: (ctx, follower, followee) => follow(ctx, { follower, followee }),
  }),
  relate("unfollow", {
    summary: "Unfollow",
    scope: "write:follows",
    find: anyPersonOf,
    run: (ctx, follower, followee) => unfollow(ctx, { follower, followee }),
  }),
  relate("remove_from_followers", {
    summary: "Let a follower go",
    scope: "write:follows",
    find: anyPersonOf,
    run: (ctx, followee, follower) => unfollow(ctx, { follower, followee }),
  }),
  relate("block", {
    summary: "Block",
    scope: "write:blocks",
    act: "blocks",
    find: personOf,
    run: (ctx, blocker, blocked) => block(ctx, { blocker, blocked }),
  }),
  relate("unblock", {
    summary: "Unblock",
    scope: "write:blocks",
    find: anyPersonOf,
    run: (ctx, blocker, blocked) => unblock(ctx, { blocker, blocked }),
  }),
  endpoint({
    method: "post",
    path: "/api/v1/accounts/{id}/mute",
    summary: "Mute",
    access: needs("write:mutes"),
    body: z.object({ duration: count.describe("Refused, unless it is 0.") }),
    answer: one("Relationship"),
    before: (ctx) => [limitAct(ctx, "blocks")],
    async handle({ ctx, req, res, viewer, body: { duration = 0 } }) {
      const { id } = await personOf(ctx, req);
      if (duration > 0) throw new Invalid({ duration: "mute.duration" });
      await mute(ctx, { muter: viewer.id, muted: id });
      res.json(await presentRelationship(ctx, viewer, id));
    },
  }),
  relate("unmute", {
    summary: "Unmute",
    scope: "write:mutes",
    find: anyPersonOf,
    run: (ctx, muter, muted) => unmute(ctx, { muter, muted }),
  }),
  endpoint({
    method: "get",
    path: "/api/v1/mutes",
    summary: "Accounts that the user mutes",
    access: needs("read:mutes"),
    query: accountPaging,
    answer: many("Account"),
    paged: true,
    async handle({ ctx, res, viewer: { id }, query }) {
      const page = await readOwnPeople(ctx, pagingOf(query), (range) => mutesPage(ctx, id, range));
      await sendPeople(ctx, res, { ...page, items: page.items.map(withoutProfile) });
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/blocks",
    summary: "Accounts that the user blocks",
    access: needs("read:blocks"),
    query: accountPaging,
    answer: many("Account"),
    paged: true,
    async handle({ ctx, res, viewer: { id }, query }) {
      const page = await readOwnPeople(ctx, pagingOf(query), (range) => blocksPage(ctx, id, range));
      await sendPeople(ctx, res, { ...page, items: page.items.map(withoutProfile) });
    },
  }),
];

function relate(name: string, { summary, scope, act, find, run }: Verb): Endpoint {
  return endpoint({
    method: "post",
    path: `/api/v1/accounts/{id}/${name}`,
    summary,
    access: needs(scope),
    answer: one("Relationship"),
    before: (ctx) => [limitAct(ctx, act)],
    async handle({ ctx, req, res, viewer }) {
      const { id } = await find(ctx, req);
      await run(ctx, viewer.id, id);
      res.json(await presentRelationship(ctx, viewer, id));
    },
  });
}

/** A suspended user keeps only the name, so that the viewer can still unmute or unblock them. */
function withoutProfile(user: User): User {
  if (!user.suspended) return user;
  return { ...user, fullname: user.name, bio: "", website: "", avatar: "" };
}
