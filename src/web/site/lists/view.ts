import type { Ctx } from "../../../context.ts";
import type { Problems } from "../../../domain/problems.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import {
  countMembers,
  listsOf,
  repliesPolicies,
  type UserList,
} from "../../../domain/graph/lists.ts";
import type { ListId } from "../../../domain/ids.ts";
import type { Page } from "../../../domain/page.ts";
import type { User } from "../../../domain/users/store.ts";
import { freshNonce, sentenceFor, showForm, textsOf } from "../../layout/form.ts";
import { listForm, memberForm } from "./form.ts";
import type { SignedInReader, Translator } from "../../languages/translator.ts";
import {
  presentButton,
  presentOwnPeople,
  presentPeople,
  presentTabs,
} from "../../layout/people.ts";
import { presentPaging, presentTweetList } from "../../layout/paging.ts";

export function listPath(id: ListId): string {
  return `${listForm.action}/${id}`;
}

/** All lists of the viewer, and the form to make one with what was typed. */
export async function presentLists(
  ctx: Ctx,
  { viewer, words }: SignedInReader,
  typed: unknown,
  problems: Problems,
) {
  const lists = await listsOf(ctx, viewer.id);
  const counts = await countMembers(
    ctx,
    viewer.id,
    lists.map(({ id }) => id),
  );
  const form = showForm(words, listForm, { ...textsOf(typed), ...freshNonce() }, problems);
  return {
    title: words.t("nav.lists"),
    lists: lists.map(({ id, title }) => ({
      href: listPath(id),
      title,
      count: words.t("lists.count", words.counted(counts.get(id) ?? 0)),
    })),
    form,
    policies: repliesPolicies,
  };
}

/** The timeline of a list. */
export async function presentListTimeline(
  ctx: Ctx,
  reader: SignedInReader,
  list: UserList,
  feed: Page<FeedItem>,
) {
  const path = listPath(list.id);
  return {
    ...frame(reader.words, list, path),
    ...(await presentTweetList(ctx, reader, path, feed, "lists.empty")),
    // Items after this stamp are new; if nothing is shown, all items are.
    live:
      reader.before === undefined ? { list: list.id, after: feed.items[0]?.stamp ?? 0 } : undefined,
  };
}

/** The members, with a button to remove each, and the form to add one with what was typed. */
export async function presentMembers(
  ctx: Ctx,
  reader: SignedInReader,
  list: UserList,
  page: Page<User>,
  { typed, problems }: { typed: unknown; problems: Problems },
) {
  const { words } = reader;
  const path = `${listPath(list.id)}/members`;
  const isWhole = page.older === undefined && reader.before === undefined;
  return {
    ...frame(words, list, path),
    form: showForm(words, { ...memberForm, action: path }, typed, problems),
    people: await presentOwnPeople(ctx, reader, page.items, (url) =>
      presentButton(words, `${path}${url}/remove`, "lists.remove", true),
    ),
    ...presentPaging(reader, path, page, isWhole ? "lists.noMembers" : undefined),
  };
}

/** The form to change a list, with what was typed, and the button to delete it. */
export function presentListEditing(
  words: Translator,
  list: UserList,
  typed: unknown,
  problems: Problems,
) {
  const path = listPath(list.id);
  const form = showForm(words, { ...listForm, action: `${path}/edit` }, typed, problems);
  return {
    ...frame(words, list, form.action),
    form,
    policies: repliesPolicies,
    deleteUrl: `${path}/delete`,
  };
}

function frame(words: Translator, { id, title }: UserList, path: string) {
  const tabs = [
    [listPath(id), "lists.tweets"],
    [`${listPath(id)}/members`, "lists.members"],
    [`${listPath(id)}/edit`, "lists.edit"],
  ] as const;
  return { title, tabs: presentTabs(words, tabs, path) };
}

/** The viewer's lists, with a tick at those that have the user. */
export async function presentChoice(
  ctx: Ctx,
  reader: SignedInReader,
  user: User,
  shown: { lists: UserList[]; ticked: ReadonlySet<ListId>; mayAdd: boolean; problems: Problems },
) {
  const { words } = reader;
  const { lists, ticked, mayAdd, problems } = shown;
  const [problem] = Object.values(problems);
  return {
    title: words.t("lists.with", { name: user.name }),
    people: await presentPeople(ctx, reader, [user]),
    action: `/@${user.name}/lists`,
    followFirst: mayAdd ? undefined : words.t("lists.followFirst", { name: user.name }),
    choices: lists.map(({ id, title }) => ({ id, title, ticked: ticked.has(id) })),
    error: problem && sentenceFor(words, problem),
  };
}
