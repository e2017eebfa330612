import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { block, unblock } from "../../domain/actions/block.ts";
import { follow, unfollow } from "../../domain/actions/follow.ts";
import { mute, unmute } from "../../domain/actions/mute.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { Invalid } from "../../domain/errors.ts";
import { blocksPage, mutesPage } from "../../domain/graph/relations.ts";
import { readOwnPeople } from "../../domain/graph/people-lists.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Act } from "../../domain/limits.ts";
import { withNameOnly } from "../../domain/users/settings.ts";
import { accountIds, getAccount, getAnyAccount } from "./account-param.ts";
import { type Endpoint, endpoint, needs } from "./endpoint.ts";
import { Account } from "./entities/account.ts";
import {
  presentRelationship,
  presentRelationships,
  Relationship,
} from "./entities/relationship.ts";
import { count } from "./input.ts";
import { accountPaging, accountsPage, pagingOf } from "./paging.ts";

interface Verb {
  scope: Scope;
  /** The limit that it counts for; none for acts that take something back. */
  act?: Act;
}

type Run = (ctx: Ctx, me: UserId, other: UserId) => Promise<void>;

/** Follows, blocks and mutes. */
export const relationshipEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/accounts/relationships", "The user's relationships to some accounts", {
    access: needs("read:follows"),
    query: z.object({ id: accountIds }),
    answer: z.array(Relationship),
    handle: ({ ctx, viewer, query }) => presentRelationships(ctx, viewer, query.id),
  }),
  relate(
    "follow",
    "Follow",
    { scope: "write:follows", act: "follows" },
    (ctx, follower, followee) => follow(ctx, { follower, followee }),
  ),
  relate("unfollow", "Unfollow", { scope: "write:follows" }, (ctx, follower, followee) =>
    unfollow(ctx, { follower, followee }),
  ),
  relate(
    "remove_from_followers",
    "Remove a follower",
    { scope: "write:follows" },
    (ctx, followee, follower) => unfollow(ctx, { follower, followee }),
  ),
  relate("block", "Block", { scope: "write:blocks", act: "blocks" }, (ctx, blocker, blocked) =>
    block(ctx, { blocker, blocked }),
  ),
  relate("unblock", "Unblock", { scope: "write:blocks" }, (ctx, blocker, blocked) =>
    unblock(ctx, { blocker, blocked }),
  ),
  endpoint("POST /api/v1/accounts/{id}/mute", "Mute", {
    access: needs("write:mutes"),
    body: z.object({ duration: count.describe("Refused, unless it is 0.") }),
    answer: Relationship,
    act: "blocks",
    async handle({ ctx, viewer, params, body: { duration = 0 } }) {
      const { id } = await getAccount(ctx, params.id);
      if (duration > 0) throw new Invalid({ duration: "mute.duration" });
      await mute(ctx, { muter: viewer.id, muted: id });
      return await presentRelationship(ctx, viewer, id);
    },
  }),
  relate("unmute", "Unmute", { scope: "write:mutes" }, (ctx, muter, muted) =>
    unmute(ctx, { muter, muted }),
  ),
  ownList("mutes", "Accounts that the user mutes", mutesPage),
  ownList("blocks", "Accounts that the user blocks", blocksPage),
];

function relate(name: string, summary: string, { scope, act }: Verb, run: Run): Endpoint {
  // Suspended users can only be unfollowed, unblocked and unmuted.
  const find = act === undefined ? getAnyAccount : getAccount;
  return endpoint(`POST /api/v1/accounts/{id}/${name}`, summary, {
    access: needs(scope),
    answer: Relationship,
    act,
    async handle({ ctx, viewer, params }) {
      const { id } = await find(ctx, params.id);
      await run(ctx, viewer.id, id);
      return await presentRelationship(ctx, viewer, id);
    },
  });
}

function ownList(name: "mutes" | "blocks", summary: string, read: typeof blocksPage): Endpoint {
  return endpoint(`GET /api/v1/${name}`, summary, {
    access: needs(`read:${name}`),
    query: accountPaging,
    answer: z.array(Account),
    async handle(request) {
      const { ctx, viewer, query } = request;
      const page = await readOwnPeople(ctx, pagingOf(query), (range) =>
        read(ctx, viewer.id, range),
      );
      // Suspended users keep their names here, so that the viewer can still unmute or unblock them.
      const items = page.items.map((user) => (user.suspended ? withNameOnly(user) : user));
      return await accountsPage(request, { ...page, items });
    },
  });
}
