import type { Ctx } from "../../../context.ts";
import type { FeedItem } from "../../../domain/feeds/types.ts";
import type { Page } from "../../../domain/page.ts";
import type { FoundPeople } from "../../../domain/search/find-people.ts";
import type { AuthorFilter } from "../../../domain/search/find-tweets.ts";
import type { User } from "../../../domain/users/store.ts";
import type { Key, Reader, Translator } from "../../languages/translator.ts";
import { type ButtonView, presentButton, presentPeople, presentTabs } from "../../layout/people.ts";
import { presentTweetList } from "../../layout/paging.ts";
import { presentSide } from "../../layout/side.ts";

/** Parameters of a search page. */
export interface Search {
  /** As typed. */
  typed: string;
  /** True to search for people, else for tweets. */
  people: boolean;
  whose: AuthorFilter;
}

/** Max people above found tweets; one more tells whether there are more. */
export const peopleAbove = 3;

interface FoundTweets {
  page: Page<FeedItem>;
  /** People with such a name. */
  people: User[];
  /** True if the query has nothing that can be searched for. */
  isEmpty: boolean;
}

/** Found tweets, below people with such a name. */
export async function presentFoundTweets(
  ctx: Ctx,
  reader: Reader,
  search: Search,
  { page, people, isEmpty }: FoundTweets,
) {
  const { words } = reader;
  const all = { href: pathOf({ ...search, people: true }), label: words.t("search.allPeople") };
  const top = {
    people: await presentPeople(ctx, reader, people.slice(0, peopleAbove)),
    more: people.length > peopleAbove ? all : undefined,
  };
  const isTyped = search.typed.trim() !== "";
  const empty = isTyped ? keyOfNothing(page, people, isEmpty) : undefined;
  return {
    ...presentSearch(reader, search),
    ...(await presentTweetList(ctx, reader, pathOf(search), page, empty)),
    people: [],
    top: people.length > 0 ? top : undefined,
  };
}

/** Text for an empty page of tweets. */
function keyOfNothing({ older }: Page<unknown>, people: User[], isEmpty: boolean): Key {
  if (isEmpty) return "search.noWord";
  if (older !== undefined) return "search.nothingNewest";
  return people.length > 0 ? "search.noTweets" : "search.nothing";
}

/** Found people; `start` is the cursor of the page, undefined for the first. */
export async function presentFoundPeople(
  ctx: Ctx,
  reader: Reader,
  search: Search,
  { people, next }: FoundPeople,
  start: string | undefined,
) {
  const { words } = reader;
  const path = pathOf(search);
  const more = `${path}&after=${encodeURIComponent(next ?? "")}`;
  const isEmpty = search.typed.trim() !== "" && people.length === 0;
  return {
    ...presentSearch(reader, search),
    people: await presentPeople(ctx, reader, people),
    side: await presentSide(ctx, reader),
    emptyMessage: isEmpty ? words.t("search.noPeople") : undefined,
    older: next === undefined ? undefined : { href: more, label: words.t("search.more") },
    newest: start === undefined ? undefined : { href: path, label: words.t("search.first") },
  };
}

/** Path of a search. */
function pathOf({ typed, people, whose }: Search): string {
  // Browsers never send lone surrogates, and addresses cannot contain them.
  const q = encodeURIComponent(typed.toWellFormed());
  if (people) return `/search?q=${q}&people=1`;
  return `/search?q=${q}${whose === undefined ? "" : `&in=${whose}`}`;
}

/** Form, tabs and filters; also hints while nothing is typed. */
function presentSearch({ viewer, words }: Reader, search: Search) {
  const { typed, people, whose } = search;
  const isTyped = typed.trim() !== "";
  const tweetsPath = (of: AuthorFilter) => pathOf({ typed, people: false, whose: of });
  const peoplePath = pathOf({ typed, people: true, whose: undefined });
  const tabs = [
    [tweetsPath(undefined), "search.tweets"],
    [peoplePath, "search.people"],
  ] as const;
  const filters = [
    [tweetsPath(undefined), "search.everyone"],
    [tweetsPath("following"), "search.following"],
    [tweetsPath("mine"), "search.mine"],
  ] as const;
  const carried = people ? { name: "people", value: "1" } : whose && { name: "in", value: whose };
  const isFiltered = viewer !== undefined && !people && isTyped;
  return {
    title: isTyped ? `${typed} · ${words.t("nav.search")}` : words.t("nav.search"),
    typed,
    carried: carried ? [carried] : [],
    tabs: presentTabs(words, tabs, people ? peoplePath : tweetsPath(undefined)),
    filters: isFiltered ? presentTabs(words, filters, tweetsPath(whose)) : undefined,
    hints: isTyped ? undefined : people ? "people" : "tweets",
  };
}

export function tagUrl(tag: string): string {
  return `/tags/${encodeURIComponent(tag)}`;
}

/** Shown to signed-out visitors too: the POST leads them to the log-in page. */
export function presentFollowTag(words: Translator, tag: string, isFollowed: boolean): ButtonView {
  const url = tagUrl(tag);
  return isFollowed
    ? presentButton(words, `${url}/unfollow`, "tag.unfollow", true)
    : presentButton(words, `${url}/follow`, "tag.follow", false);
}
