import { type Request, type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { Invalid, NotFound } from "../../domain/errors.ts";
import { findUsers } from "../../domain/users/store.ts";
import { idsIn } from "./accounts.ts";
import { optionalScope, requireScope } from "./bearer.ts";
import { readInput, texts } from "./input.ts";
import { personOf } from "./account-param.ts";

/** What Suzume does not have is empty, so that apps show nothing in its place instead of an error. */
const forAnybody = ["/api/v1/custom_emojis", "/api/v1/trends/links", "/api/v1/trends/statuses"];
const forTheirOwner: [door: string, scope: Scope][] = [
  ["/api/v1/announcements", "read:accounts"],
  ["/api/v1/conversations", "read:statuses"],
  ["/api/v1/domain_blocks", "read:blocks"],
  ["/api/v1/endorsements", "read:accounts"],
  ["/api/v1/featured_tags", "read:accounts"],
  ["/api/v1/featured_tags/suggestions", "read:accounts"],
  ["/api/v1/filters", "read:filters"],
  ["/api/v2/filters", "read:filters"],
  ["/api/v1/follow_requests", "read:follows"],
  ["/api/v1/followed_tags", "read:follows"],
  ["/api/v1/lists", "read:lists"],
  ["/api/v1/scheduled_statuses", "read:statuses"],
];
const some = z.object({ id: texts });

export function nothingApi(ctx: Ctx): Router {
  const router = Router();

  for (const door of forAnybody)
    router.get(door, (_req, res) => {
      res.json([]);
    });
  for (const [door, scope] of forTheirOwner)
    router.get(door, (_req: Request, res: Response) => {
      requireScope(res, scope);
      res.json([]);
    });

  router.get("/api/v1/accounts/familiar_followers", async (req, res) => {
    requireScope(res, "read:follows");
    const users = await findUsers(ctx, idsIn(readInput(some, req.query).id));
    res.json([...users.keys()].map((id) => ({ id, accounts: [] })));
  });
  router.get("/api/v1/accounts/:id/lists", async (req, res) => {
    requireScope(res, "read:lists");
    await personOf(ctx, req);
    res.json([]);
  });
  router.get("/api/v1/accounts/:id/featured_tags", async (req, res) => {
    optionalScope(res, "read:accounts");
    await personOf(ctx, req);
    res.json([]);
  });

  // Apps send pictures before the status that shows them.
  for (const door of ["/api/v1/media", "/api/v2/media"])
    router.post(door, (_req, res) => {
      requireScope(res, "write:media");
      throw new Invalid({ file: "status.media" });
    });

  // Mastodon's answer, too, where there is none.
  router.get("/api/v1/push/subscription", (_req, res) => {
    requireScope(res, "push");
    throw new NotFound("subscription");
  });

  return router;
}
