import type { Page } from "../../domain/page.ts";
import type { Trend } from "../../domain/search/trending.ts";
import type { Whose } from "../../domain/tweets/find.ts";
import type { User } from "../../domain/users/store.ts";
import type { Words } from "../languages/words.ts";

/** What the address of a search page says. */
export interface Search {
  /** As typed. */
  typed: string;
  people: boolean;
  whose: Whose;
}

/** Where a search is found again. */
export function pathOf({ typed, people, whose }: Search): string {
  // A lone surrogate, which no browser sends, cannot stand in an address.
  const q = encodeURIComponent(typed.toWellFormed());
  if (people) return `/search?q=${q}&people=1`;
  return `/search?q=${q}${whose === undefined ? "" : `&in=${whose}`}`;
}

/** The form, the tabs and the filters; how to search, while nothing is typed. */
export function presentSearch(search: Search, viewer: User | undefined) {
  const { typed, people, whose } = search;
  const isTyped = typed.trim() !== "";
  const tab = (label: string, to: Search, current: boolean) => {
    return { href: pathOf(to), label, current };
  };
  const filter = (label: string, to: Whose) =>
    tab(label, { typed, people: false, whose: to }, whose === to);
  const filters = [
    filter("Everybody", undefined),
    filter("People I follow", "following"),
    filter("Mine", "mine"),
  ];
  return {
    page: { title: isTyped ? `${typed} · Search · Suzume` : "Search · Suzume", path: "/search" },
    typed,
    carried: people
      ? [{ name: "people", value: "1" }]
      : whose === undefined
        ? []
        : [{ name: "in", value: whose }],
    tabs: [
      tab("Tweets", { typed, people: false, whose: undefined }, !people),
      tab("People", { typed, people: true, whose: undefined }, people),
    ],
    filters: viewer !== undefined && !people && isTyped ? filters : undefined,
    hints: isTyped ? undefined : people ? peopleHints : tweetHints,
    people: [],
  };
}

const tweetHints = [
  { example: "sparrow bread", meaning: "tweets with both words" },
  { example: "雀の", meaning: "two or more characters of Japanese, Chinese or Korean, anywhere" },
  { example: "from:alice", meaning: "tweets by @alice" },
  { example: "#birds", meaning: "tweets with this hashtag" },
];
const peopleHints = [
  { example: "al", meaning: "people whose name begins with it" },
  { example: "Smith", meaning: "or any word of their full name" },
];

/** Why a page of tweets is empty. */
export function nothingFound(
  { typed }: Search,
  problem: "empty" | "short" | undefined,
  page: Page<unknown>,
): string | undefined {
  if (typed.trim() === "") return undefined;
  if (problem === "short") return "One character is too little: please type two or more.";
  if (problem === "empty") return "Please type a word: letters or digits are what can be found.";
  if (page.older !== undefined) return "Nothing found among the newest tweets. There may be older.";
  return "Nothing found.";
}

/** Trending tags, for a list of links. */
export function presentTrends(words: Words, trends: Trend[]) {
  return trends.map(({ tag, people }) => ({
    tag,
    href: `/tags/${encodeURIComponent(tag)}`,
    people: words.t("trend.people", words.counted(people)),
  }));
}
