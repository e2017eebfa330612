import { type Endpoint, scopesOf } from "../api/endpoint.ts";
import { endpoints as declared } from "../api/endpoints.ts";
import { tagOf } from "../api/openapi.ts";

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
  for (const endpoint of declared) {
    const noun = tagOf(endpoint);
    nouns.set(noun, [...(nouns.get(noun) ?? []), viewEndpoint(endpoint)]);
  }
  return [...nouns].map(([noun, endpoints]) => ({ noun, endpoints }));
}

function viewEndpoint({ method, path, summary, access, query, body }: Endpoint): EndpointView {
  const fields = [...Object.keys(query?.shape ?? {}), ...Object.keys(body?.shape ?? {})];
  const isOpen = typeof access === "string" || access.optional === true;
  const scope = isOpen ? undefined : scopesOf(access).join(", ");
  return { method: method.toUpperCase(), path, summary, scope, fields };
}
