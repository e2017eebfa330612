import type { Ctx } from "../../context.ts";
import { type Suggestion, suggestPeople } from "../../domain/graph/suggestions.ts";
import { activePeople } from "../../domain/feeds/public-lists.ts";
import { visiblePeople } from "../../domain/graph/relations.ts";
import type { UserId } from "../../domain/ids.ts";
import { newestUsers } from "../../domain/users/listed.ts";
import { findUserByName, findUsers, type User } from "../../domain/users/store.ts";
import type { Reader, SignedInReader, Translator } from "../languages/translator.ts";
import { type PersonView, presentPeople } from "./people.ts";

/** Suggestions of users to follow, with reasons; empty if signed out. */
export async function presentSuggestions(
  ctx: Ctx,
  reader: Reader,
  limit: number,
): Promise<PersonView[]> {
  const { viewer, words } = reader;
  if (viewer === undefined) return [];
  // More than needed, as some may drop out.
  const found = await suggestPeople(ctx, viewer, 2 * limit);
  const reasons = new Map(found.map((one) => [one.id, one.through]));
  const users = await findUsers(ctx, found.flatMap(namedIn));
  const people = found.flatMap(({ id }) => users.get(id) ?? []).slice(0, limit);
  const views = await presentPeople(ctx, reader, people);
  return views.map((view) => ({ ...view, reason: reasonFor(words, reasons.get(view.id), users) }));
}

/**
 * Users for a viewer who follows few: the user with the name `first`, active users, then the newest ones. It does not
 * depend on whom the viewer follows, so the list stays as it is while the viewer chooses.
 */
export async function presentPeopleToFollow(
  ctx: Ctx,
  reader: SignedInReader,
  limit: number,
  first = "",
): Promise<PersonView[]> {
  const { viewer } = reader;
  const [inviter, active, newest] = await Promise.all([
    first === "" ? undefined : findUserByName(ctx, first),
    activePeople(ctx),
    newestUsers(ctx, 2 * limit),
  ]);
  const ids = new Set([...active, ...newest.map(({ id }) => id)]);
  ids.delete(viewer.id);
  if (inviter !== undefined) ids.delete(inviter.id);
  const users = await findUsers(ctx, ids);
  const found = [inviter, ...[...ids].map((id) => users.get(id))];
  const others = found.filter((user) => user !== undefined && user.id !== viewer.id) as User[];
  const seen = await visiblePeople(ctx, viewer, others);
  return (await presentPeople(ctx, reader, seen)).slice(0, limit);
}

/** The suggested user and up to two users for the reason. */
function namedIn({ id, through }: Suggestion): UserId[] {
  return [id, ...through.slice(0, 2)];
}

/** "Followed by @ann", "Followed by @ann and @bob", "Followed by @ann and 2 others you follow". */
function reasonFor(
  words: Translator,
  through: UserId[] | undefined,
  users: ReadonlyMap<UserId, User>,
): string | undefined {
  const [first, second] = (through ?? []).slice(0, 2).map((id) => users.get(id));
  if (through === undefined || first === undefined) return undefined;
  const one = first.name;
  if (through.length === 1) return words.t("person.followedBy", { one });
  if (through.length === 2 && second !== undefined)
    return words.t("person.followedByTwo", { one, other: second.name });
  return words.t("person.followedByMany", { one, ...words.counted(through.length - 1) });
}
