import { z } from "zod";
import { knows, many, needs, one, type Operation, paging } from "../operation.ts";

const reads = knows("read:statuses");
const writes = needs("write:statuses");

function act(name: string, summary: string, scope: string): Operation {
  const path = `/api/v1/statuses/{id}/${name}`;
  return { method: "post", path, summary, access: needs(scope), answer: one("Status") };
}

/** Tweets one by one. */
export const statusOperations: readonly Operation[] = [
  {
    method: "post",
    path: "/api/v1/statuses",
    summary: "Post; with the header Idempotency-Key, sent twice it is posted once",
    access: writes,
    body: z.object({
      status: z.string().describe("Up to 280 characters."),
      in_reply_to_id: z.string().optional(),
      visibility: z.enum(["public", "unlisted"]).optional().describe("All are public."),
      sensitive: z.boolean().optional(),
      language: z.string().optional(),
    }),
    answer: one("Status"),
  },
  {
    method: "get",
    path: "/api/v1/statuses",
    summary: "Several at once",
    access: reads,
    query: z.object({ id: z.array(z.string()).optional() }),
    answer: many("Status"),
  },
  {
    method: "get",
    path: "/api/v1/statuses/{id}",
    summary: "One",
    access: reads,
    answer: one("Status"),
  },
  {
    method: "delete",
    path: "/api/v1/statuses/{id}",
    summary: "Delete one's own; the answer has its text, to be written again",
    access: writes,
    answer: one("DeletedStatus"),
  },
  {
    method: "get",
    path: "/api/v1/statuses/{id}/context",
    summary: "What it answers, and what answers it",
    access: reads,
    answer: one("Context"),
  },
  {
    method: "get",
    path: "/api/v1/statuses/{id}/source",
    summary: "As it was typed",
    access: needs("read:statuses"),
    answer: one("StatusSource"),
  },
  {
    method: "get",
    path: "/api/v1/statuses/{id}/history",
    summary: "Its only version, as there is no editing",
    access: reads,
    answer: many("StatusEdit"),
  },
  act("favourite", "Like", "write:favourites"),
  act("unfavourite", "Take a like back", "write:favourites"),
  act("reblog", "Retweet; the answer has the original in reblog", "write:statuses"),
  act("unreblog", "Take a retweet back", "write:statuses"),
  act("bookmark", "Bookmark, for oneself alone", "write:bookmarks"),
  act("unbookmark", "Take a bookmark out", "write:bookmarks"),
  act("pin", "Put one's own on top of one's profile", "write:accounts"),
  act("unpin", "Take it off there", "write:accounts"),
  {
    method: "get",
    path: "/api/v1/statuses/{id}/favourited_by",
    summary: "Who likes it",
    access: reads,
    query: paging(80),
    answer: many("Account"),
    paged: true,
  },
  {
    method: "get",
    path: "/api/v1/statuses/{id}/reblogged_by",
    summary: "Who retweeted it",
    access: reads,
    query: paging(80),
    answer: many("Account"),
    paged: true,
  },
];
