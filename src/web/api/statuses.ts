import { type Request, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import type { Listed } from "../../domain/tweets/read-feed.ts";
import { findListed } from "../../domain/tweets/thread.ts";
import type { User } from "../../domain/users/store.ts";
import { optionalScope } from "./bearer.ts";
import { parseStatusId } from "./ids.ts";
import { sendStatus } from "./send.ts";

/** Single statuses, and what is around them. */
export function statusesApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v1/statuses/:id", async (req, res) => {
    const viewer = optionalScope(res, "read:statuses");
    await sendStatus(ctx, res, viewer, await statusOf(ctx, req, viewer));
  });

  return router;
}

/** What the path names, if the viewer may see it. Throws NotFound. */
export async function statusOf(ctx: Ctx, req: Request, viewer: User | undefined): Promise<Listed> {
  const named = parseStatusId(String(req.params["id"]));
  const item = named && (await findListed(ctx, viewer, named.id));
  if (named === undefined || item === undefined) throw new NotFound("status");
  if ((item.retweet ?? item.tweet).createdAt !== named.stamp) throw new NotFound("status");
  return item;
}
