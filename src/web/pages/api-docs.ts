import { type Operation, scopesOf } from "../api/endpoint.ts";
import { operations } from "../api/endpoints.ts";
import { tagOf } from "../api/openapi/document.ts";

export interface DoorView {
  method: string;
  path: string;
  summary: string;
  /** The scopes of which a token needs one; undefined where no token is needed. */
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
  const isOpen = typeof access === "string" || access.optional === true;
  const scope = isOpen ? undefined : scopesOf(access).join(", ");
  return { method: method.toUpperCase(), path, summary, scope, fields };
}
