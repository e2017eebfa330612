import { z } from "zod";
import { needs, type Operation } from "../operation.ts";

const reads = needs("read:statuses");
const events = z
  .string()
  .describe(
    "Server-sent events: update (a Status), notification (a Notification), delete (an id). " +
      "Coming back with Last-Event-ID goes on where it ended.",
  );
const tag = z.object({ tag: z.string() });

/** Of the streams below, as `stream` has them: with a colon in the place of the slash. */
const names = [
  "user",
  "user/notification",
  "public",
  "public/local",
  "hashtag",
  "hashtag/local",
].map((path) => path.replace("/", ":"));

function stream(path: string, summary: string, access = reads, query?: z.ZodObject): Operation {
  const door = { method: "get", path: `/api/v1/streaming${path}`, summary, access } as const;
  return {
    ...door,
    ...(query && { query }),
    answer: { schema: events, type: "text/event-stream" },
  };
}

/** What is new while an app listens. */
export const streamingOperations: readonly Operation[] = [
  {
    method: "get",
    path: "/api/v1/streaming/health",
    summary: "Says OK",
    access: "anybody",
    answer: { schema: z.literal("OK"), type: "text/plain" },
  },
  stream(
    "",
    "One of the following, by name",
    reads,
    z.object({
      stream: z.enum(names),
      tag: z.string().optional(),
      access_token: z.string().optional().describe("Where no header can be sent."),
    }),
  ),
  stream("/user", "Home and notifications"),
  stream("/user/notification", "Notifications", needs("read:notifications")),
  stream("/public", "Everybody's newest"),
  stream("/public/local", "The same"),
  stream("/hashtag", "What has a hashtag", reads, tag),
  stream("/hashtag/local", "The same", reads, tag),
];
