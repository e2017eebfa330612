import { tagOf } from "../api/openapi/document.ts";
import type { Operation } from "../api/openapi/operation.ts";
import { operations } from "../api/openapi/operations.ts";

export interface DoorView {
  method: string;
  path: string;
  summary: string;
  /** The scope that a token must have; undefined where anybody may ask. */
  scope: string | undefined;
  /** What may be sent with it. */
  fields: string[];
}

/** Every door of the API, by its noun; the words are those of the document, in English. */
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
