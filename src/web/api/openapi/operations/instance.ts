import { z } from "zod";
import { emptyList, emptyObject, knows, many, needs, one, type Operation } from "../operation.ts";

const text = z.strictObject({ updated_at: z.string(), content: z.string().describe("HTML") });
const part = z.object({
  limit: z.int().min(1).max(20).optional(),
  offset: z.int().min(0).optional(),
});

function about(path: string, summary: string, answer: Operation["answer"]): Operation {
  return { method: "get", path, summary, access: "anybody", answer };
}

const reporting = z.object({
  account_id: z.string(),
  status_ids: z
    .array(z.string())
    .optional()
    .describe("Of that person; without any, it is about them."),
  comment: z.string().optional(),
  category: z.enum(["spam", "legal", "violation", "other"]).optional(),
});

/** The site itself, and what stands beside its timelines. */
export const instanceOperations: readonly Operation[] = [
  about("/api/v1/instance", "The site, as older apps ask for it", one("OldInstance")),
  about("/api/v2/instance", "The site", one("Instance")),
  ...["activity", "domain_blocks", "peers", "rules"].map((name) =>
    about(`/api/v1/instance/${name}`, "Always empty", emptyList),
  ),
  about("/api/v1/instance/translation_languages", "Always empty", emptyObject),
  about("/api/v1/instance/extended_description", "Where more is told", { schema: text }),
  about("/api/v1/instance/privacy_policy", "Where it is told", { schema: text }),
  about("/api/openapi.json", "This document", { schema: z.looseObject({ openapi: z.string() }) }),
  ...["/api/v1/trends", "/api/v1/trends/tags"].map((path): Operation => ({
    ...about(path, "Hashtags that many people use", many("Tag")),
    query: part,
  })),
  {
    ...about("/api/v1/tags/{tag}", "A hashtag", one("Tag")),
    access: knows("read:statuses"),
  },
  {
    ...about("/api/v1/directory", "The newest people", many("Account")),
    access: knows("read:accounts"),
    query: z.object({
      limit: z.int().min(1).max(80).optional(),
      offset: z.int().min(0).optional(),
    }),
  },
  {
    ...about("/api/v1/suggestions", "Whom one might want to follow", many("Account")),
    access: needs("read:accounts"),
    query: z.object({ limit: z.int().min(1).max(80).optional() }),
  },
  {
    ...about("/api/v2/suggestions", "The same, and why", many("Suggestion")),
    access: needs("read:accounts"),
    query: z.object({ limit: z.int().min(1).max(80).optional() }),
  },
  {
    method: "post",
    path: "/api/v1/reports",
    summary: "Tell the admins of somebody, or of what they wrote",
    access: needs("write:reports"),
    body: reporting,
    answer: one("Report"),
  },
  {
    ...about("/api/v1/preferences", "What apps begin with", one("Preferences")),
    access: needs("read:accounts"),
  },
];
