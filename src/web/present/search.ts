import type { Page } from "../../domain/page.ts";
import type { Trend } from "../../domain/search/trending.ts";
import type { AuthorFilter } from "../../domain/search/find-tweets.ts";
import type { Key, Translator } from "../languages/translator.ts";
import type { Reader } from "../languages/reader.ts";

/** Parameters of a search page. */
export interface Search {
  /** As typed. */
  typed: string;
  people: boolean;
  whose: AuthorFilter;
}

/** Path of a search. */
export function pathOf({ typed, people, whose }: Search): string {
  // Browsers never send lone surrogates, and addresses cannot contain them.
  const q = encodeURIComponent(typed.toWellFormed());
  if (people) return `/search?q=${q}&people=1`;
  return `/search?q=${q}${whose === undefined ? "" : `&in=${whose}`}`;
}

/** Form, tabs and filters; also hints while nothing is typed. */
export function presentSearch({ viewer, words }: Reader, search: Search) {
  const { typed, people, whose } = search;
  const isTyped = typed.trim() !== "";
  const title = `${words.t("nav.search")} · Suzume`;
  const tab = (label: Key, to: Search, current: boolean) => {
    return { href: pathOf(to), label: words.t(label), current };
  };
  const filter = (label: Key, to: AuthorFilter) =>
    tab(label, { typed, people: false, whose: to }, whose === to);
  const filters = [
    filter("search.everyone", undefined),
    filter("search.following", "following"),
    filter("search.mine", "mine"),
  ];
  return {
    page: { title: isTyped ? `${typed} · ${title}` : title, path: "/search" },
    typed,
    carried: people
      ? [{ name: "people", value: "1" }]
      : whose === undefined
        ? []
        : [{ name: "in", value: whose }],
    tabs: [
      tab("search.tweets", { typed, people: false, whose: undefined }, !people),
      tab("search.people", { typed, people: true, whose: undefined }, people),
    ],
    filters: viewer !== undefined && !people && isTyped ? filters : undefined,
    hints: isTyped ? undefined : presentHints(words, people ? peopleHints : tweetHints),
    people: [],
  };
}

const tweetHints = [
  { example: "sparrow bread", key: "search.hint.words" },
  { example: "雀の", key: "search.hint.characters" },
  { example: "from:alice", key: "search.hint.from" },
  { example: "#birds", key: "search.hint.tag" },
] as const;
const peopleHints = [
  { example: "al", key: "search.hint.name" },
  { example: "Smith", key: "search.hint.fullname" },
] as const;

function presentHints(words: Translator, hints: readonly { example: string; key: Key }[]) {
  return hints.map(({ example, key }) => ({ example, meaning: words.t(key) }));
}

/** Text for an empty page of tweets. */
export function nothingFound(
  words: Translator,
  { typed }: Search,
  problem: "empty" | "short" | undefined,
  page: Page<unknown>,
): string | undefined {
  if (typed.trim() === "") return undefined;
  if (problem === "short") return words.t("search.short");
  if (problem === "empty") return words.t("search.noWord");
  if (page.older !== undefined) return words.t("search.nothingNewest");
  return words.t("search.nothing");
}

/** Trending tags, for a list of links. */
export function presentTrends(words: Translator, trends: Trend[]) {
  return trends.map(({ tag, people }) => ({
    tag,
    href: `/tags/${encodeURIComponent(tag)}`,
    people: words.t("trend.people", words.counted(people)),
  }));
}
