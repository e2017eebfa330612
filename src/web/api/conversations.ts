import { z } from "zod";
import { required } from "../../domain/errors.ts";
import {
  type ConversationItem,
  conversationsPage,
  findConversationItem,
} from "../../domain/messages/conversations.ts";
import { markConversationRead, unlistConversation } from "../../domain/messages/marks.ts";
import { parseConversation } from "../../domain/messages/people.ts";
import type { User } from "../../domain/users/store.ts";
import { type ApiRequest, type Endpoint, scoped } from "./endpoint.ts";
import { entity } from "./entities/fields.ts";
import { type ApiView, type Json, listOf, toJson, withFields } from "./entities/parts.ts";
import { linkHeader, statusPaging, statusPagingOf } from "./paging.ts";
import { Account, presentAccounts } from "./entities/account.ts";
import { presentEach, Status } from "./entities/status.ts";

export const Conversation = entity("Conversation", {
  id: z.string().describe("The ids of its accounts."),
  unread: z.boolean(),
  accounts: z.array(Account).describe("Without the user's own, unless it is the only one."),
  last_status: Status.nullable(),
});

/** Conversations in order. */
export async function presentConversations(
  view: ApiView & { viewer: User },
  items: readonly ConversationItem[],
): Promise<Json[]> {
  const people = items.map((one) => (one.people.length === 0 ? [view.viewer] : one.people));
  const users = [...new Set(people.flat())];
  const messages = items.map(({ item }) => item);
  const [accounts, statuses] = await Promise.all([
    presentAccounts(view, users),
    presentEach(view, messages),
  ]);
  const accountOf = new Map(users.map((user, nth) => [user, accounts[nth]]));
  return items.map(({ id, unread }, nth) =>
    withFields(toJson({ id, unread }), {
      accounts: listOf(people[nth]?.flatMap((user) => accountOf.get(user) ?? []) ?? []),
      last_status: statuses[nth] ?? toJson(null),
    }),
  );
}

const ofUser = scoped("read:statuses", "write:conversations");
const ofConversation = scoped("read:statuses", "write:conversations", getItem);

/** Conversations of the user. Reading does not mark one as read. Requests are on the site alone. */
export const conversationEndpoints: readonly Endpoint[] = [
  ofUser("GET /api/v1/conversations", "Conversations, the newest message first", {
    query: statusPaging,
    answer: z.array(Conversation),
    async handle(request) {
      const { ctx, viewer, query } = request;
      const page = await conversationsPage(ctx, viewer, await statusPagingOf(ctx, query));
      linkHeader(request, page);
      return listOf(await presentConversations(request, page.items));
    },
  }),
  ofConversation("POST /api/v1/conversations/{id}/read", "Mark one as read", {
    answer: Conversation,
    async handle(request, item) {
      await markConversationRead(request.ctx, request.viewer.id, item);
      const [json] = await presentConversations(request, [{ ...item, unread: false }]);
      return json;
    },
  }),
  ofConversation(
    "DELETE /api/v1/conversations/{id}",
    "Remove one, until there is a new message in it",
    {
      handle: ({ ctx, viewer }, { id }) => unlistConversation(ctx, viewer.id, id),
    },
  ),
];

/** The conversation in the path. Throws NotFound. */
async function getItem({ ctx, viewer, params }: ApiRequest<User>): Promise<ConversationItem> {
  const id = parseConversation(params.id, viewer.id);
  return required(id && (await findConversationItem(ctx, viewer, id)), "conversation");
}
