import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { sendPublic, siteOrigin } from "../send-public.ts";
import { version } from "../version.ts";
import { openApiDocument } from "./openapi/document.ts";

const hour = 60 * 60;

/** The API, told to machines; for people there is a page, see web/pages/about.ts. */
export function openApi(ctx: Ctx): Router {
  const router = Router();
  router.get("/api/openapi.json", (req, res) => {
    const body = JSON.stringify(openApiDocument(siteOrigin(ctx, req), version));
    sendPublic(res, { type: "application/json", body, seconds: hour });
  });
  return router;
}
