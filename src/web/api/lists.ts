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
import { type Endpoint, scoped } from "./endpoint.ts";
import { Account } from "./entities/account.ts";
import { constants, entity } from "./entities/fields.ts";
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
const List = entity("List", {
  id: z.string().regex(/^\d+$/),
  title: z.string(),
  replies_policy: policy,
  ...constants(always),
});

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

const ofUser = scoped("read:lists", "write:lists");
const ofList = scoped("read:lists", "write:lists", ({ ctx, viewer, params }) =>
  getList(ctx, viewer.id, params.id),
);

/** Lists of people; only their owner sees them. */
export const listEndpoints: readonly Endpoint[] = [
  ofUser("GET /api/v1/lists", "The user's lists", {
    answer: z.array(List),
    handle: async ({ ctx, viewer }) => (await listsOf(ctx, viewer.id)).map(presentList),
  }),
  ofUser("POST /api/v1/lists", "Make a list", {
    body: z.object({ title: needed, ...fields }),
    answer: List,
    counts: "list",
    async handle({ ctx, req, viewer, body }) {
      const { title, replies_policy: replies } = body;
      const nonce = req.get("idempotency-key");
      return presentList(await makeList(ctx, viewer.id, { title, replies, nonce }));
    },
  }),
  ofList("GET /api/v1/lists/{id}", "One list", {
    answer: List,
    handle: (_, list) => presentList(list),
  }),
  ofList("PUT /api/v1/lists/{id}", "Change a list", {
    body: z.object({ title: text, replies_policy: policy.optional(), exclusive }),
    answer: List,
    counts: "list",
    async handle({ ctx, viewer, body }, { id }) {
      const { title, replies_policy: replies } = body;
      return presentList(await changeList(ctx, viewer.id, id, { title, replies }));
    },
  }),
  ofList("GET /api/v1/lists/{id}/accounts", "Members of a list", {
    query: memberPaging,
    answer: z.array(Account),
    handle: (request, { id: list }) =>
      accountsPage(request, (view) =>
        readPeople(request.ctx, view, (range) =>
          membersPage(request.ctx, request.viewer.id, list, range),
        ),
      ),
  }),
  ofList("POST /api/v1/lists/{id}/accounts", "Add accounts that the user follows to a list", {
    body: members,
    counts: "list",
    names: { name: "account_ids" },
    async handle({ ctx, req, res, viewer, body }, { id: list }) {
      await countVerb(ctx, req, res, "list", body.account_ids.length - 1);
      for (const raw of body.account_ids) {
        const { id: member } = await getAccount(ctx, raw);
        await addToList(ctx, { owner: viewer.id, list, member });
      }
    },
  }),
  ofList("DELETE /api/v1/lists/{id}/accounts", "Take accounts out of a list", {
    // Apps send them in either.
    query: members,
    body: members,
    async handle({ ctx, viewer, query, body }, { id: list }) {
      for (const member of [...query.account_ids, ...body.account_ids])
        await removeFromList(ctx, { owner: viewer.id, list, member });
    },
  }),
  ofList("DELETE /api/v1/lists/{id}", "Delete a list", {
    handle: ({ ctx, viewer }, { id: list }) => deleteList(ctx, viewer.id, list),
  }),
  ofUser("GET /api/v1/accounts/{id}/lists", "The user's lists that have an account", {
    answer: z.array(List),
    async handle({ ctx, viewer, params }) {
      const { id: member } = await getAccount(ctx, params.id);
      const all = await listsOf(ctx, viewer.id);
      const ids = all.map((list) => list.id);
      const having = await listsWith(ctx, { owner: viewer.id, lists: ids, member });
      return all.filter((list) => having.has(list.id)).map(presentList);
    },
  }),
  ofList("GET /api/v1/timelines/list/{id}", "Statuses of the members of a list", {
    query: statusPaging,
    answer: z.array(Status),
    handle: (request, { id: list }) =>
      statusesPage(request, (view) => listFeed(request.ctx, request.viewer, list, view)),
  }),
];

function presentList({ id: list, title, replies }: UserList): z.output<typeof List> {
  return { id: list, title, replies_policy: replies, ...always };
}
