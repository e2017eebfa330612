import { tagOf } from "../api/openapi/document.ts";
import type { Operation } from "../api/openapi/operation.ts";
import { operations } from "../api/openapi/operations.ts";

export interface EndpointView {
  method: string;
  path: string;
  summary: string;
  /** Scope that a token needs; undefined if the endpoint is public. */
  scope: string | undefined;
  /** Accepted parameters. */
  fields: string[];
}

/** Endpoints of the API, grouped by noun. Their texts are those of the document, in English. */
export function presentEndpoints(): { noun: string; endpoints: EndpointView[] }[] {
  const nouns = new Map<string, EndpointView[]>();
  for (const operation of operations) {
    const noun = tagOf(operation);
    nouns.set(noun, [...(nouns.get(noun) ?? []), viewEndpoint(operation)]);
  }
  return [...nouns].map(([noun, endpoints]) => ({ noun, endpoints }));
}

function viewEndpoint({ method, path, summary, access, query, body }: Operation): EndpointView {
  const fields = [...Object.keys(query?.shape ?? {}), ...Object.keys(body?.shape ?? {})];
  const scope = typeof access === "object" && access.optional !== true ? access.scope : undefined;
  return { method: method.toUpperCase(), path, summary, scope, fields };
}
