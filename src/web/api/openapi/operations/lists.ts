import { z } from "zod";
import { knows, many, needs, one, type Operation, paging } from "../operation.ts";

function list(path: string, summary: string, access: Operation["access"], more = {}): Operation {
  const query = paging(40).extend(more);
  return { method: "get", path, summary, access, query, answer: many("Status"), paged: true };
}

const onlyMedia = { only_media: z.boolean().optional().describe("Answers empty: there is none.") };

/** Lists of tweets, and search. */
export const listOperations: readonly Operation[] = [
  list("/api/v1/timelines/home", "Home: whom one follows, and oneself", needs("read:statuses")),
  list("/api/v1/timelines/public", "Everybody's newest", knows("read:statuses"), {
    ...onlyMedia,
    local: z.boolean().optional(),
    remote: z.boolean().optional().describe("Answers empty: all are local."),
  }),
  list("/api/v1/timelines/tag/{tag}", "What has a hashtag", knows("read:statuses"), onlyMedia),
  list("/api/v1/accounts/{id}/statuses", "What somebody wrote", knows("read:statuses"), {
    ...onlyMedia,
    exclude_replies: z.boolean().optional(),
    exclude_reblogs: z.boolean().optional(),
    pinned: z.boolean().optional(),
    tagged: z.string().optional(),
  }),
  list("/api/v1/favourites", "What one likes", needs("read:favourites")),
  list("/api/v1/bookmarks", "What one has bookmarked", needs("read:bookmarks")),
  {
    method: "get",
    path: "/api/v2/search",
    summary: "People, tweets and hashtags; the address of a page of this site finds what it shows",
    access: knows("read:search"),
    query: z.object({
      q: z.string(),
      type: z.enum(["accounts", "statuses", "hashtags"]).optional(),
      resolve: z.boolean().optional(),
      following: z.boolean().optional(),
      account_id: z.string().optional(),
      limit: z.int().min(1).max(40).optional(),
      offset: z.int().min(0).optional(),
    }),
    answer: one("Search"),
  },
];
