import { z } from "zod";
import type { ConversationItem } from "../../../domain/messages/conversations.ts";
import type { User } from "../../../domain/users/store.ts";
import { Account, presentAccounts } from "./account.ts";
import { type ApiView, type Json, listOf, toJson, withFields } from "./parts.ts";
import { presentEach, Status } from "./status.ts";

export const Conversation = z
  .strictObject({
    id: z.string().describe("The ids of its accounts."),
    unread: z.boolean(),
    accounts: z.array(Account).describe("Without the user's own, unless it is the only one."),
    last_status: Status.nullable(),
  })
  .meta({ id: "Conversation" });

/** Conversations in order. */
export async function presentConversations(
  view: ApiView & { viewer: User },
  items: readonly ConversationItem[],
): Promise<Json[]> {
  const people = items.map((one) => (one.people.length === 0 ? [view.viewer] : one.people));
  const users = [...new Set(people.flat())];
  const [accounts, statuses] = await Promise.all([
    presentAccounts(view, users),
    presentEach(
      view,
      items.map(({ item }) => item),
    ),
  ]);
  const accountOf = new Map(users.map((user, nth) => [user, accounts[nth]]));
  return items.map(({ id, unread }, nth) =>
    withFields(toJson({ id, unread }), {
      accounts: listOf(people[nth]?.flatMap((user) => accountOf.get(user) ?? []) ?? []),
      last_status: statuses[nth] ?? toJson(null),
    }),
  );
}
