import type { Ctx } from "../../context.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import { readOwnPeople } from "../../domain/graph/people-lists.ts";
import type { Entry, Page, Range } from "../../domain/page.ts";
import { withNameOnly } from "../../domain/users/settings.ts";
import type { User } from "../../domain/users/store.ts";
import type { Key, Reader } from "../languages/translator.ts";
import { type PersonView, presentButton, presentName, presentPeople } from "./people.ts";
import { presentSide } from "./side.ts";
import { presentTimeline } from "./timeline.ts";

/** A page with a list of tweets, and the third column. */
export async function presentTweetList(
  ctx: Ctx,
  reader: Reader,
  path: string,
  page: Page<FeedItem>,
  empty?: Key,
) {
  return {
    timeline: await presentTimeline(ctx, reader, page.items),
    side: await presentSide(ctx, reader),
    ...presentPaging(reader, path, page, empty),
  };
}

/** A page with a list of people, and the third column. */
export async function presentPeopleList(
  ctx: Ctx,
  reader: Reader,
  path: string,
  page: Page<User>,
  empty: Key,
) {
  return {
    people: await presentPeople(ctx, reader, page.items),
    side: await presentSide(ctx, reader),
    ...presentPaging(reader, path, page, empty),
  };
}

/** A list of the viewer's own, and the button that removes the user with this profile from it. */
interface OwnList {
  path: string;
  read: (range: Range) => Promise<Page<Entry>>;
  label: Key;
  actionOf: (url: string) => string;
  /** Shown only if the whole list is empty. */
  empty: Key;
}

/** A list from which the viewer can remove users, in its order. Of suspended users only the name and the button. */
export async function presentOwnList(
  ctx: Ctx,
  reader: Reader,
  { path, read, label, actionOf, empty }: OwnList,
) {
  const { words, before } = reader;
  const page = await readOwnPeople(ctx, { before }, read);
  const seen = await presentPeople(ctx, reader, page.items);
  const views = new Map(seen.map((view) => [view.id, view]));
  const nothing = { isMe: false, followsYou: false, isFollowed: false, isRequested: false };
  const suspended = { bio: "", ...nothing, reason: words.t("person.suspended") };
  const isWhole = page.older === undefined && before === undefined;
  return {
    people: page.items.map((person): PersonView => {
      const view = views.get(person.id) ?? { ...presentName(withNameOnly(person)), ...suspended };
      return { ...view, follow: presentButton(words, actionOf(view.url), label, true) };
    }),
    ...presentPaging(reader, path, page, isWhole ? empty : undefined),
  };
}

/** Links to the next page of a list and back to its start, and the text for an empty one. `path` may have a query. */
export function presentPaging(
  { words, before, late = String }: Reader,
  path: string,
  { items, older }: Page<unknown>,
  empty?: Key,
) {
  const sign = path.includes("?") ? "&" : "?";
  return {
    older:
      older === undefined
        ? undefined
        : { href: `${path}${sign}before=${late(older, "older")}`, label: words.t("paging.older") },
    newest: before === undefined ? undefined : { href: path, label: words.t("paging.newest") },
    emptyMessage: empty !== undefined && items.length === 0 ? words.t(empty) : undefined,
  };
}
