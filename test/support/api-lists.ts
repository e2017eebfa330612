import type { Response } from "supertest";
import { linksOf } from "./api-links.ts";
import type { ApiVisitor } from "./api-visitor.ts";

/** All items of a list, page by page as its links lead, until a page is empty. */
export async function readByLinks<Item>(
  app: ApiVisitor,
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
