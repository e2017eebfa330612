import type { Response } from "supertest";

/** Where the links of an answer lead, without the site in front; undefined where there is none. */
export function linksOf({ headers }: Response): { next?: string; prev?: string } {
  const link: unknown = headers["link"];
  if (typeof link !== "string") return {};
  const found = [...link.matchAll(/<https?:\/\/[^/]+([^>]*)>; rel="(next|prev)"/g)];
  return Object.fromEntries(found.map(([, path = "", rel = ""]) => [rel, path]));
}
