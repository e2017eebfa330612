import { z } from "zod";
import { listFeed } from "../../domain/feeds/feeds.ts";
import {
  addToList,
  changeList,
  deleteList,
  getList,
  listsOf,
  listsWith,
  makeList,
  membersAtMost,
  membersPage,
  removeFromList,
  repliesPolicies,
  type UserList,
} from "../../domain/graph/lists.ts";
import { readPeople } from "../../domain/graph/people-lists.ts";
import { countVerb } from "../request/limits.ts";
import { accountIds, getAccount } from "./account-param.ts";
import { type Endpoint, endpoint, needs } from "./endpoint.ts";
import { Account } from "./entities/account.ts";
import { constants } from "./entities/parts.ts";
import { Status } from "./entities/status.ts";
import { count, needed, only, text } from "./input.ts";
import {
  accountLimits,
  accountPaging,
  accountsPage,
  statusesPage,
  statusPaging,
} from "./paging.ts";

/** Members of a list are at home as well. */
const always = { exclusive: false } as const;

const policy = z.enum(repliesPolicies);
const List = z
  .strictObject({
    id: z.string().regex(/^\d+$/),
    title: z.string(),
    replies_policy: policy,
    ...constants(always),
  })
  .meta({ id: "List" });

const exclusive = only("list.exclusive", false);
const fields = { replies_policy: policy.default("list"), exclusive };
const members = z.object({ account_ids: accountIds });
const memberPaging = accountPaging.extend({
  limit: count
    .transform((limit = accountLimits.usual) =>
      limit === 0 ? membersAtMost : Math.min(limit, accountLimits.most),
    )
    .meta({ description: "40 if it is left out; 0 for all.", minimum: 0, maximum: 80 }),
});

/** Lists of people; only their owner sees them. */
export const listEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/lists", "The user's lists", {
    access: needs("read:lists"),
    answer: z.array(List),
    handle: async ({ ctx, viewer }) => (await listsOf(ctx, viewer.id)).map(presentList),
  }),
  endpoint("POST /api/v1/lists", "Make a list", {
    access: needs("write:lists"),
    body: z.object({ title: needed, ...fields }),
    answer: List,
    counts: "list",
    async handle({ ctx, req, viewer, body }) {
      const { title, replies_policy: replies } = body;
      const nonce = req.get("idempotency-key");
      return presentList(await makeList(ctx, viewer.id, { title, replies, nonce }));
    },
  }),
  endpoint("GET /api/v1/lists/{id}", "One list", {
    access: needs("read:lists"),
    answer: List,
    handle: async ({ ctx, viewer, params }) =>
      presentList(await getList(ctx, viewer.id, params.id)),
  }),
  endpoint("PUT /api/v1/lists/{id}", "Change a list", {
    access: needs("write:lists"),
    body: z.object({ title: text, replies_policy: policy.optional(), exclusive }),
    answer: List,
    counts: "list",
    async handle({ ctx, viewer, params, body }) {
      const list = await getList(ctx, viewer.id, params.id);
      const { title = list.title, replies_policy: replies = list.replies } = body;
      return presentList(await changeList(ctx, viewer.id, list.id, { title, replies }));
    },
  }),
  endpoint("GET /api/v1/lists/{id}/accounts", "Members of a list", {
    access: needs("read:lists"),
    query: memberPaging,
    answer: z.array(Account),
    async handle(request) {
      const { ctx, viewer, params } = request;
      const { id: list } = await getList(ctx, viewer.id, params.id);
      return await accountsPage(request, (view) =>
        readPeople(ctx, view, (range) => membersPage(ctx, viewer.id, list, range)),
      );
    },
  }),
  endpoint("POST /api/v1/lists/{id}/accounts", "Add accounts that the user follows to a list", {
    access: needs("write:lists"),
    body: members,
    counts: "list",
    names: { name: "account_ids" },
    async handle({ ctx, req, res, viewer, params, body }) {
      const { id: list } = await getList(ctx, viewer.id, params.id);
      await countVerb(ctx, req, res, "list", body.account_ids.length - 1);
      for (const raw of body.account_ids) {
        const { id: member } = await getAccount(ctx, raw);
        await addToList(ctx, { owner: viewer.id, list, member });
      }
    },
  }),
  endpoint("DELETE /api/v1/lists/{id}/accounts", "Take accounts out of a list", {
    access: needs("write:lists"),
    // Apps send them in either.
    query: members,
    body: members,
    async handle({ ctx, viewer, params, query, body }) {
      const { id: list } = await getList(ctx, viewer.id, params.id);
      for (const member of [...query.account_ids, ...body.account_ids])
        await removeFromList(ctx, { owner: viewer.id, list, member });
    },
  }),
  endpoint("DELETE /api/v1/lists/{id}", "Delete a list", {
    access: needs("write:lists"),
    async handle({ ctx, viewer, params }) {
      await deleteList(ctx, viewer.id, (await getList(ctx, viewer.id, params.id)).id);
    },
  }),
  endpoint("GET /api/v1/accounts/{id}/lists", "The user's lists that have an account", {
    access: needs("read:lists"),
    answer: z.array(List),
    async handle({ ctx, viewer, params }) {
      const { id: member } = await getAccount(ctx, params.id);
      const all = await listsOf(ctx, viewer.id);
      const ids = all.map((list) => list.id);
      const having = await listsWith(ctx, { owner: viewer.id, lists: ids, member });
      return all.filter((list) => having.has(list.id)).map(presentList);
    },
  }),
  endpoint("GET /api/v1/timelines/list/{id}", "Statuses of the members of a list", {
    access: needs("read:lists"),
    query: statusPaging,
    answer: z.array(Status),
    async handle(request) {
      const { ctx, viewer, params } = request;
      const { id: list } = await getList(ctx, viewer.id, params.id);
      return await statusesPage(request, (view) => listFeed(ctx, viewer, list, view));
    },
  }),
];

function presentList({ id: list, title, replies }: UserList): z.output<typeof List> {
  return { id: list, title, replies_policy: replies, ...always };
}
