import type { Browser } from "./browser.ts";
import { postedAs } from "./ledger.ts";

/** A tweet as a page lists it. */
export interface Shown {
  /** Of the item: a retweet has its own. */
  id: string;
  /** Of the tweet that is shown. */
  tweet: string;
  author: string;
  /** With which it was posted: edits of a drill only add to it. */
  text: string;
  isRetweet: boolean;
}

const article = /<article class="tweet[^"]*" id="tweet-(\d+)"[^>]*>(.*?)<\/article>/gs;

export function tweetsOn(page: string): Shown[] {
  return [...page.matchAll(article)].map(([, id = "", inner = ""]) => ({
    id,
    tweet: /href="\/tweets\/(\d+)["#]/.exec(inner)?.[1] ?? id,
    author: /class="tweet-author[^>]* href="\/@(\w+)"/.exec(inner)?.[1] ?? "",
    text: postedAs(unescape(/class="tweet-text[^>]*>(.*?)<\/p>/s.exec(inner)?.[1] ?? "")),
    isRetweet: inner.includes('class="tweet-context"'),
  }));
}

/** Without the suggestions beside the list. */
export function peopleOn(page: string): string[] {
  const list = page.split('<aside class="side')[0] ?? "";
  return [...list.matchAll(/class="person-name">@(\w+)</g)].map(([, name = ""]) => name);
}

/** Followed hashtags with "#", and muted words, on their pages of the settings. */
export function choicesOn(page: string): string[] {
  const item = /<div class="session-about">(.*?)<\/bdi>/gs;
  return [...page.matchAll(item)].map(([, inner = ""]) => unescape(inner));
}

/**
 * All pages of a list, by the link to the next one, or those up to the first that `isEnough`. Throws if one of them is
 * not answered with 200.
 */
export async function readToEnd<Item>(
  browser: Browser,
  path: string,
  itemsOn: (page: string) => Item[],
  isEnough: (items: Item[]) => boolean = () => false,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { status, body } = await browser.get(next);
    if (status !== 200) throw new Error(`GET ${next} answered ${status}`);
    const found = itemsOn(body);
    items.push(...found);
    if (isEnough(found)) break;
    next = unescape(/<a [^>]*rel="next" href="([^"]+)"/.exec(body)?.[1] ?? "") || undefined;
  }
  return items;
}

function unescape(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
