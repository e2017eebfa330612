import { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { Invalid, NotFound, type Problem } from "../../domain/errors.ts";
import type { TweetId } from "../../domain/ids.ts";
import { postTweet } from "../../domain/actions/post-tweet.ts";
import { findFeedItem } from "../../domain/feeds/thread.ts";
import type { User } from "../../domain/users/store.ts";
import { quotedIn } from "../forms/quoted.ts";
import { limitTweets } from "../middleware/limits.ts";
import { siteOrigin } from "../send-public.ts";
import { requireScope } from "./bearer.ts";
import { flag, readInput, text, texts } from "./input.ts";
import { sendStatus } from "./send.ts";
import { findStatus } from "./statuses.ts";

const statusInput = z.object({
  status: text,
  spoiler_text: text,
  in_reply_to_id: text,
  visibility: text,
  sensitive: flag,
  language: text,
  scheduled_at: text,
  media_ids: texts,
  poll: z.unknown().optional(),
});

type StatusInput = z.infer<typeof statusInput>;

/** Whatever everybody may read is a tweet. */
const open = new Set([undefined, "", "public", "unlisted"]);

/** Posting through the API. */
export function composeApi(ctx: Ctx): Router {
  const router = Router();

  router.post("/api/v1/statuses", limitTweets(ctx, "status"), async (req, res) => {
    const viewer = requireScope(res, "write:statuses");
    const input = readInput(statusInput, req.body);
    refuseWhatIsNot(input);
    const said = textOf(input);
    const id = await postTweet(ctx, viewer.id, {
      text: said,
      // The same request sent again is the same tweet.
      nonce: req.get("idempotency-key"),
      replyTo: await answeredTweet(ctx, viewer, input),
      quoteOf: quotedIn(said, `${siteOrigin(ctx, req)}/tweets/`),
    });
    const item = await findFeedItem(ctx, viewer, id);
    if (item === undefined) throw new NotFound("status");
    await sendStatus(ctx, res, viewer, item);
  });

  return router;
}

/**
 * Throws Invalid for what Suzume does not have. To leave it out would be to publish something else than
 * what was meant; of what is for some only, to betray somebody.
 */
function refuseWhatIsNot(input: StatusInput): void {
  const problems: Record<string, Problem> = {};
  if (!open.has(input.visibility)) problems["visibility"] = "status.private";
  if (input.media_ids.length > 0) problems["media_ids"] = "status.media";
  if (isGiven(input.poll)) problems["poll"] = "status.poll";
  if (isGiven(input.scheduled_at)) problems["scheduled_at"] = "status.scheduled";
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** A warning is what one reads first. */
function textOf({ status = "", spoiler_text: warning = "" }: StatusInput): string {
  return warning.trim() === "" ? status : `${warning.trim()}\n\n${status}`;
}

/** Throws NotFound if there is no such status, or none for the viewer to see. */
async function answeredTweet(
  ctx: Ctx,
  viewer: User,
  { in_reply_to_id: id }: StatusInput,
): Promise<TweetId | undefined> {
  if (!isGiven(id)) return undefined;
  const item = await findStatus(ctx, viewer, id ?? "");
  if (item === undefined) throw new NotFound("status");
  return item.tweet.id;
}
