import { z } from "zod";
import { version } from "../../config.ts";
import { type Endpoint, scopesOf } from "./endpoint.ts";

type Json = Record<string, unknown>;

/** Statuses of refusals: why, and when to ask again. */
const refusals = {
  "401": "There is no token of a user, or it is invalid.",
  "403": "The token does not allow this, or the user may not.",
  "404": "There is no such thing, or the user may not see it.",
  "422": "Something is missing or malformed; the sentence says what.",
  "429": "Too often in too short a time: Retry-After says when again, in seconds.",
  "503": "The site cannot reach its data just now.",
} as const;

const description =
  "Ids are numbers as texts and sort by time. Lists have a Link header with rel=next and rel=prev. " +
  "Input may be JSON, a form or multipart. Every answer tells in X-RateLimit-* how many requests are left.";

const ApiError = z
  .looseObject({
    error: z.string().describe("A sentence, or in OAuth a name."),
    error_description: z.string().optional(),
  })
  .meta({ id: "Error" });

/** The whole API as OpenAPI 3.1; `site` is the origin of the site. */
export function openApiDocument(endpoints: readonly Endpoint[], site: string): Json {
  const { schemas, components } = convert([ApiError, ...endpoints.map(({ answer }) => answer)]);
  const [error, ...answers] = schemas;
  const paths: Record<string, Json> = {};
  for (const [index, one] of endpoints.entries())
    (paths[one.path] ??= {})[one.method] = serializeEndpoint(one, answers[index]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Suzume",
      version,
      summary: "Mastodon's client API, as far as Suzume has what it is about.",
      description,
      license: { name: "See the source of this site" },
    },
    servers: [{ url: site }],
    tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: { token: tokensOf(endpoints, site) },
      responses: mapRefusals((status, why) => [
        `refused-${status}`,
        { description: why, content: { "application/json": { schema: error } } },
      ]),
    },
  };
}

function tokensOf(endpoints: readonly Endpoint[], site: string): Json {
  const tokenUrl = `${site}/oauth/token`;
  const scopes = [...new Set(endpoints.flatMap(({ access }) => scopesOf(access)))].toSorted();
  return {
    type: "oauth2",
    flows: {
      authorizationCode: {
        authorizationUrl: `${site}/oauth/authorize`,
        tokenUrl,
        scopes: Object.fromEntries(scopes.map((scope) => [scope, scope])),
      },
      clientCredentials: { tokenUrl, scopes: {} },
    },
  };
}

function mapRefusals(toEntry: (status: string, why: string) => [string, unknown]): Json {
  return Object.fromEntries(Object.entries(refusals).map(([status, why]) => toEntry(status, why)));
}

function serializeEndpoint(endpoint: Endpoint, answer: unknown): Json {
  const { method, path, summary, body, query, access, type, paged } = endpoint;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    operationId: `${method} ${path}`.replaceAll(/\W+/g, "_").replace(/_$/, ""),
    summary,
    tags: [tagOf(endpoint)],
    parameters: [...inPath, ...(query === undefined ? [] : parametersOf(query))],
    ...(body === undefined ? {} : { requestBody: bodyOf(body) }),
    security: securityOf(access),
    responses: {
      "200": {
        description: "As asked for.",
        ...(paged ? { headers: { Link: { schema: { type: "string" } } } } : {}),
        content: { [type ?? "application/json"]: { schema: answer } },
      },
      ...mapRefusals((status) => [status, { $ref: `#/components/responses/refused-${status}` }]),
    },
  };
}

/** "statuses", of "/api/v1/statuses/{id}". */
export function tagOf({ path }: Endpoint): string {
  const [, noun = "oauth"] = /^\/api\/v\d\/([a-z_]+)/.exec(path) ?? [];
  return noun;
}

function securityOf(access: Endpoint["access"]): Json[] {
  if (access === "anybody") return [];
  if (access === "app") return [{ token: [] }];
  const tokens = scopesOf(access).map((scope) => ({ token: [scope] }));
  return access.optional ? [{}, ...tokens] : tokens;
}

function parametersOf(query: z.ZodObject): Json[] {
  const { properties = {}, required } = inputSchema(query);
  return Object.entries(properties).map(([name, schema]) => {
    const isList = typeof schema === "object" && schema.type === "array";
    return {
      name: isList ? `${name}[]` : name,
      in: "query",
      required: required.includes(name),
      schema,
    };
  });
}

function bodyOf(body: z.ZodObject): Json {
  const schema = inputSchema(body);
  const kinds = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"];
  return {
    required: schema.required.length > 0,
    content: Object.fromEntries(kinds.map((kind) => [kind, { schema }])),
  };
}

/** Required is what its schema refuses when it is missing: zod takes defaults made by transforms for required. */
function inputSchema(input: z.ZodObject) {
  const required = Object.entries(input.shape)
    .filter(([, field]) => !z.safeParse(field, undefined).success)
    .map(([name]) => name);
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return { ...schema, required };
}

/** JSON schemas of answers. Those with an id refer to their definition in `components`. */
function convert(answers: z.ZodType[]): { schemas: unknown[]; components: Json } {
  const together = z.toJSONSchema(z.tuple(answers as [z.ZodType]));
  const text = JSON.stringify(together).replaceAll("#/$defs/", "#/components/schemas/");
  const { prefixItems: schemas, $defs: components } = JSON.parse(text) as {
    prefixItems: unknown[];
    $defs: Json;
  };
  return { schemas, components };
}
