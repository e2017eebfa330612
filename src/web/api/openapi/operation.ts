import { z } from "zod";
import type { EntityName } from "./entities.ts";

/** What an answer holds: one entity, a list of them, or an object of no interest. */
export type Answer = { entity: EntityName; list: boolean } | { schema: z.ZodType; type?: string };

/** Who may ask. A scope that is optional matters only where there is a token. */
export type Access = "anybody" | "app" | { scope: string; optional?: true };

/** A door of the API. */
export interface Operation {
  method: "get" | "post" | "patch" | "delete";
  /** As OpenAPI spells it: "/api/v1/statuses/{id}". */
  path: string;
  summary: string;
  access: Access;
  query?: z.ZodObject;
  body?: z.ZodObject;
  answer: Answer;
  /** Whether the answer has links to what is older and newer. */
  paged?: true;
}

export function one(entity: EntityName): Answer {
  return { entity, list: false };
}

export function many(entity: EntityName): Answer {
  return { entity, list: true };
}

/** Always the same, as Suzume has none of it. */
export const emptyList: Answer = { schema: z.array(z.never()).max(0) };
export const emptyObject: Answer = { schema: z.strictObject({}) };

export function needs(scope: string): Access {
  return { scope };
}

export function knows(scope: string): Access {
  return { scope, optional: true };
}

const stamp = (what: string) => z.string().regex(/^\d+$/).optional().describe(what);

/** How a list is gone through. */
export function paging(most: number) {
  return z.object({
    limit: z.int().min(1).max(most).optional().describe("How many."),
    max_id: stamp("Those older than this one."),
    since_id: stamp("The newest of those newer than this one."),
    min_id: stamp("Those just newer than this one."),
  });
}
