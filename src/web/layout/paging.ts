import type { Ctx } from "../../context.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { Page } from "../../domain/page.ts";
import type { User } from "../../domain/users/store.ts";
import type { Key, Reader } from "../languages/translator.ts";
import { presentOwnPeople, presentPeople, type Removal } from "./people.ts";
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

/** A list from which the viewer can remove users. `empty` is shown only if the whole list is empty. */
export async function presentOwnList(
  ctx: Ctx,
  reader: Reader,
  path: string,
  page: Page<User>,
  { empty, ...removal }: Removal & { empty: Key },
) {
  const isWhole = page.older === undefined && reader.before === undefined;
  return {
    people: await presentOwnPeople(ctx, reader, page.items, removal),
    ...presentPaging(reader, path, page, isWhole ? empty : undefined),
  };
}

/**
 * Links to the next page of a list and back to its start, and the text for a page without items. `path` may
 * have a query.
 */
export function presentPaging(
  { words, before }: Reader,
  path: string,
  { items, older }: Page<unknown>,
  empty?: Key,
) {
  const next = `${path}${path.includes("?") ? "&" : "?"}before=${older}`;
  return {
    older: older === undefined ? undefined : { href: next, label: words.t("paging.older") },
    newest: before === undefined ? undefined : { href: path, label: words.t("paging.newest") },
    emptyMessage: empty !== undefined && items.length === 0 ? words.t(empty) : undefined,
  };
}
