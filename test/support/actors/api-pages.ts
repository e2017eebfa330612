import type { Response } from "supertest";
import type { ApiClient } from "./api-client.ts";

/** All pages of a list, by its links, until a page is empty. */
export async function readByLinks<Item>(
  app: ApiClient,
  path: string,
  direction: "next" | "prev" = "next",
): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer: Response = await app.get(next).expect(200);
    const page = answer.body as Item[];
    if (page.length === 0) break;
    pages.push(page);
    next = linksOf(answer)[direction];
  }
  return pages;
}

/** Paths in the Link header of an answer, if any. */
export function linksOf({ headers }: Response): { next?: string; prev?: string } {
  const link: unknown = headers["link"];
  if (typeof link !== "string") return {};
  const found = [...link.matchAll(/<https?:\/\/[^/]+([^>]*)>; rel="(next|prev)"/g)];
  return Object.fromEntries(found.map(([, path = "", rel = ""]) => [rel, path]));
}
