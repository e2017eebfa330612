import type { Ctx } from "../../context.ts";
import { Invalid } from "../errors.ts";
import { relationsTo } from "../graph/relations.ts";
import type { ConversationId } from "../ids.ts";
import { findMentioned, findUsers, foldName, isName, toName, type User } from "../users/store.ts";
import { conversationAmong, peopleAtMost } from "./people.ts";

/** The conversation with the users whose names are typed: "@ann @bob". Throws Invalid beside `to`. */
export async function conversationWith(
  ctx: Ctx,
  viewer: User,
  typed: string,
): Promise<ConversationId> {
  const words = typed.split(/[\s,、，]+/u).map((word) => foldName(toName(word.replace("＠", "@"))));
  const names = [...new Set(words)].filter((name) => name !== "" && name !== foldName(viewer.name));
  if (names.length === 0) throw new Invalid({ to: "field.missing" });
  if (names.length >= peopleAtMost) throw new Invalid({ to: "message.people" });
  const mentioned = await findMentioned(ctx, names.filter(isName));
  const ids = mentioned.map(({ id }) => id);
  const [users, relationTo] = await Promise.all([
    findUsers(ctx, ids),
    relationsTo(ctx, viewer, ids),
  ]);
  const isThere = ids.every((id) => users.get(id)?.suspended === false);
  if (ids.length < names.length || !isThere) throw new Invalid({ to: "message.unknown" });
  if (ids.some((id) => relationTo(id).blocked)) throw new Invalid({ to: "message.blocked" });
  return conversationAmong([viewer.id, ...ids]);
}
