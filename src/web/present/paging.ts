import type { Page } from "../../domain/page.ts";
import type { Translator } from "../languages/translator.ts";

export interface PagingView {
  older: { href: string; label: string } | undefined;
  newest: { href: string; label: string } | undefined;
}

/** Links to the next page of a list and back to its start; `path` may have a query. */
export function presentPaging(
  words: Translator,
  path: string,
  page: Page<unknown>,
  isFirst: boolean,
): PagingView {
  const joint = path.includes("?") ? "&" : "?";
  return {
    older:
      page.older === undefined
        ? undefined
        : { href: `${path}${joint}before=${page.older}`, label: words.t("paging.older") },
    newest: isFirst ? undefined : { href: path, label: words.t("paging.newest") },
  };
}
