import type { Ctx } from "../../context.ts";
import { Invalid, NotFound } from "../errors.ts";
import { addToList, type ListInput, listsOf, makeList } from "../graph/lists.ts";
import { cleanLine } from "../users/display-text.ts";
import { findUserByName } from "../users/store.ts";
import type { ImportRun, Outcome } from "./import-run.ts";

/** A list of people from another site. */
export interface ImportedList extends ListInput {
  /** Names. */
  members: string[];
}

/** Members added at the same time. */
const membersAtOnce = 20;

/**
 * Fills the user's list of this name, or makes it. Only people that the user follows by now are added: the follows
 * of the file come first. May run twice.
 */
export async function importList(
  { ctx, payer: { user: owner } }: ImportRun,
  { title, replies, members }: ImportedList,
): Promise<Outcome> {
  try {
    const existing = (await listsOf(ctx, owner)).find((list) => list.title === cleanLine(title));
    const { id: list } = existing ?? (await makeList(ctx, owner, { title, replies }));
    for (let first = 0; first < members.length; first += membersAtOnce) {
      const names = members.slice(first, first + membersAtOnce);
      await Promise.all(names.map((name) => addByName(ctx, { owner, list, name })));
    }
    return "imported";
  } catch (error) {
    if (error instanceof Invalid) return "lists";
    throw error;
  }
}

type Named = Omit<Parameters<typeof addToList>[1], "member"> & { name: string };

async function addByName(ctx: Ctx, { owner, list, name }: Named): Promise<void> {
  const user = await findUserByName(ctx, name);
  if (user === undefined) return;
  try {
    await addToList(ctx, { owner, list, member: user.id });
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof NotFound)) throw error;
  }
}
