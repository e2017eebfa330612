import { tagOf } from "../api/openapi/document.ts";
import type { Operation } from "../api/openapi/operation.ts";
import { operations } from "../api/openapi/operations.ts";

export interface DoorView {
  method: string;
  path: string;
  summary: string;
  /** Scope that a token needs; undefined if the endpoint is public. */
  scope: string | undefined;
  /** Accepted parameters. */
  fields: string[];
}

/** Endpoints of the API, grouped by noun. Their texts are those of the document, in English. */
export function presentDoors(): { noun: string; doors: DoorView[] }[] {
  const nouns = new Map<string, DoorView[]>();
  for (const operation of operations) {
    const noun = tagOf(operation);
    nouns.set(noun, [...(nouns.get(noun) ?? []), viewDoor(operation)]);
  }
  return [...nouns].map(([noun, doors]) => ({ noun, doors }));
}

function viewDoor({ method, path, summary, access, query, body }: Operation): DoorView {
  const fields = [...Object.keys(query?.shape ?? {}), ...Object.keys(body?.shape ?? {})];
  const scope = typeof access === "object" && access.optional !== true ? access.scope : undefined;
  return { method: method.toUpperCase(), path, summary, scope, fields };
}
