import { z } from "zod";
import { sendPublic, siteOrigin } from "../send-public.ts";
import { version } from "../version.ts";
import { type Endpoint, endpoint, type Operation } from "./endpoint.ts";
import { openApiDocument } from "./openapi/document.ts";

const hour = 60 * 60;

/** The API, told to machines; for people there is a page, see web/pages/about.ts. */
export function documentEndpoint(operations: () => readonly Operation[]): Endpoint {
  return endpoint({
    method: "get",
    path: "/api/openapi.json",
    summary: "This document",
    access: "anybody",
    answer: { schema: z.looseObject({ openapi: z.string() }) },
    handle({ ctx, req, res }) {
      const body = JSON.stringify(openApiDocument(operations(), siteOrigin(ctx, req), version));
      sendPublic(res, { type: "application/json", body, seconds: hour });
    },
  });
}
