import { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { suggestPeople } from "../../domain/graph/suggestions.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { siteOrigin } from "../send-public.ts";
import { requireScope } from "./bearer.ts";
import { presentAccounts } from "./entities/account.ts";
import { readInput } from "./input.ts";
import { accountLimits, limited } from "./paging.ts";
import { sendJsonList } from "./send.ts";

const part = z.object({ limit: limited(accountLimits) });

/** Whom somebody might want to follow: those whom many follow whom they follow. */
export function suggestionsApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v1/suggestions", async (req, res) => {
    const viewer = requireScope(res, "read:accounts");
    const { limit } = readInput(part, req.query);
    sendJsonList(res, await suggested(ctx, viewer, limit, siteOrigin(ctx, req)));
  });

  router.get("/api/v2/suggestions", async (req, res) => {
    const viewer = requireScope(res, "read:accounts");
    const { limit } = readInput(part, req.query);
    const accounts = await suggested(ctx, viewer, limit, siteOrigin(ctx, req));
    // The first word is what older apps know.
    const reason = `"source":"past_interactions","sources":["friends_of_friends"]`;
    sendJsonList(
      res,
      accounts.map((account) => `{${reason},"account":${account}}`),
    );
  });

  return router;
}

async function suggested(ctx: Ctx, viewer: User, limit: number, site: string): Promise<string[]> {
  const found = await suggestPeople(ctx, viewer, limit);
  const users = await findUsers(
    ctx,
    found.map(({ id }) => id),
  );
  return await presentAccounts(ctx, site, [...users.values()]);
}
