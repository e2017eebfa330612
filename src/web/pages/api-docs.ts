import { type Operation, scopesOf } from "../api/endpoint.ts";
import { operations } from "../api/endpoints.ts";
import { tagOf } from "../api/openapi/document.ts";

export interface EndpointView {
  method: string;
  path: string;
  summary: string;
  /** Scopes of which a token needs one; undefined if the endpoint is public. */
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
  const isOpen = typeof access === "string" || access.optional === true;
  const scope = isOpen ? undefined : scopesOf(access).join(", ");
  return { method: method.toUpperCase(), path, summary, scope, fields };
}
