import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { changeFollowOptions } from "../../domain/actions/follow.ts";
import { accountVerbs } from "../../domain/actions/verbs.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { blocksPage, mutesPage, timedMutes } from "../../domain/graph/relations.ts";
import { type PeoplePage, readOwnPeople } from "../../domain/graph/people-lists.ts";
import type { UserId } from "../../domain/ids.ts";
import type { CountedVerb } from "../../domain/limit-classes.ts";
import type { User } from "../../domain/users/store.ts";
import { withNameOnly } from "../../domain/users/settings.ts";
import { accountIds, getAccount, getAnyAccount } from "./account-param.ts";
import { type ApiRequest, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { Account, presentAccounts } from "./entities/account.ts";
import { moment } from "./entities/parts.ts";
import {
  formatEnd,
  presentRelationship,
  presentRelationships,
  Relationship,
} from "./entities/relationship.ts";
import { count, flag, only } from "./input.ts";
import { listOf, toJson, withFields } from "./json.ts";
import { accountPaging, accountsPage, linkHeader, pagingOf } from "./paging.ts";

const MutedAccount = z
  .strictObject({ ...Account.shape, mute_expires_at: moment.nullable() })
  .meta({ id: "MutedAccount" });

const { follow, block, mute } = accountVerbs;

type Run = (ctx: Ctx, me: UserId, other: UserId) => Promise<void>;

/** Follows, blocks and mutes. */
export const relationshipEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/accounts/relationships", "The user's relationships to some accounts", {
    access: needs("read:follows"),
    query: z.object({ id: accountIds }),
    answer: z.array(Relationship),
    handle: ({ ctx, viewer, query }) => presentRelationships(ctx, viewer, query.id),
  }),
  endpoint("POST /api/v1/accounts/{id}/follow", "Follow, or change the options of a follow", {
    access: needs("write:follows"),
    body: z.object({
      reblogs: flag.describe("Whether their retweets are at home; stays as it is if left out."),
      notify: flag.describe(
        "Whether each new tweet is a notification; stays as it is if left out.",
      ),
      languages: only("follow.languages"),
    }),
    answer: Relationship,
    counts: "follow",
    async handle({ ctx, viewer, params, body: { reblogs: retweets, notify } }) {
      const { id } = await getAccount(ctx, params.id);
      await follow.run(ctx, viewer.id, id);
      await changeFollowOptions(
        ctx,
        { follower: viewer.id, followee: id },
        {
          ...(retweets === undefined ? {} : { retweets }),
          ...(notify === undefined ? {} : { notify }),
        },
      );
      return await presentRelationship(ctx, viewer, id);
    },
  }),
  relate("unfollow", "Unfollow", "write:follows", follow.undo),
  relate("remove_from_followers", "Remove a follower", "write:follows", (ctx, me, other) =>
    follow.undo(ctx, other, me),
  ),
  relate("block", "Block", "write:blocks", block.run, "block"),
  relate("unblock", "Unblock", "write:blocks", block.undo),
  endpoint("POST /api/v1/accounts/{id}/mute", "Mute", {
    access: needs("write:mutes"),
    body: z.object({
      duration: count.describe("Seconds until it ends; 0: it does not."),
      notifications: only("mute.notifications", true),
    }),
    answer: Relationship,
    counts: "mute",
    async handle({ ctx, viewer, params, body: { duration = 0 } }) {
      const { id } = await getAccount(ctx, params.id);
      await mute.run(ctx, viewer.id, id, duration === 0 ? undefined : duration);
      return await presentRelationship(ctx, viewer, id);
    },
  }),
  relate("unmute", "Unmute", "write:mutes", mute.undo),
  endpoint("GET /api/v1/mutes", "Accounts that the user mutes; those whose mute ends come first", {
    access: needs("read:mutes"),
    query: accountPaging,
    answer: z.array(MutedAccount),
    async handle(request) {
      const { ctx, viewer, query } = request;
      const [page, ends] = await Promise.all([
        ownPage(request, query, mutesPage),
        timedMutes(ctx, viewer.id),
      ]);
      linkHeader(request, page);
      const accounts = await presentAccounts(request, page.items);
      const end = (nth: number) => page.items[nth] && ends.get(page.items[nth].id);
      return listOf(
        accounts.map((account, nth) =>
          withFields(account, { mute_expires_at: toJson(formatEnd(end(nth))) }),
        ),
      );
    },
  }),
  endpoint("GET /api/v1/blocks", "Accounts that the user blocks", {
    access: needs("read:blocks"),
    query: accountPaging,
    answer: z.array(Account),
    handle: async (request) =>
      accountsPage(request, await ownPage(request, request.query, blocksPage)),
  }),
];

function relate(
  name: string,
  summary: string,
  scope: Scope,
  run: Run,
  counts?: CountedVerb,
): Endpoint {
  // Suspended users can only be unfollowed, unblocked and unmuted.
  const find = counts === undefined ? getAnyAccount : getAccount;
  return endpoint(`POST /api/v1/accounts/{id}/${name}`, summary, {
    access: needs(scope),
    answer: Relationship,
    ...(counts && { counts }),
    async handle({ ctx, viewer, params }) {
      const { id } = await find(ctx, params.id);
      await run(ctx, viewer.id, id);
      return await presentRelationship(ctx, viewer, id);
    },
  });
}

/** Suspended users keep their names here, so that the viewer can still unmute or unblock them. */
async function ownPage(
  { ctx, viewer }: ApiRequest<User>,
  query: z.output<typeof accountPaging>,
  read: typeof blocksPage,
): Promise<PeoplePage> {
  const page = await readOwnPeople(ctx, pagingOf(query), (range) => read(ctx, viewer.id, range));
  return {
    ...page,
    items: page.items.map((user) => (user.suspended ? withNameOnly(user) : user)),
  };
}
