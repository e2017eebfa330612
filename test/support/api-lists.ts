import type { ApiVisitor } from "./api-visitor.ts";

/** Where a `Link` header leads: "next" to older items, "prev" to newer ones. */
export function linkOf(headers: Record<string, string>, rel: "next" | "prev"): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${rel}"`).exec(headers["link"] ?? "")?.[1];
}

/** All items of a list, page by page as its links lead, until a page is empty. */
export async function readByLinks<Item>(
  app: ApiVisitor,
  path: string,
  rel: "next" | "prev" = "next",
): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer = await app.get(next).expect(200);
    const page = answer.body as Item[];
    if (page.length === 0) break;
    pages.push(page);
    const link = linkOf(answer.headers as Record<string, string>, rel);
    next = link === undefined ? undefined : link.replace(/^https?:\/\/[^/]*/, "");
  }
  return pages;
}
