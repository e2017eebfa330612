import { z } from "zod";
import { type Answer, type Operation, scopesOf } from "../endpoint.ts";
import { entities } from "./entities.ts";

type Json = Record<string, unknown>;

/** Statuses that say why there is no answer, and when. */
const refusals = {
  "401": "Nobody is signed in, or the token lets nobody in.",
  "403": "The token does not allow this, or this person may not.",
  "404": "There is no such thing, or the asker may not know that there is.",
  "422": "Something is missing or malformed; the sentence says what.",
  "429": "Too often in too short a time: Retry-After says when again, in seconds.",
  "503": "The site cannot reach its data just now.",
} as const;

/** The whole API as OpenAPI 3.1; `site` is where the site is, without a path. */
export function openApiDocument(
  operations: readonly Operation[],
  site: string,
  version: string,
): Json {
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
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
    paths: pathsOf(operations),
    components: {
      schemas: schemas(),
      securitySchemes: {
        token: {
          type: "oauth2",
          flows: {
            authorizationCode: {
              authorizationUrl: `${site}/oauth/authorize`,
              tokenUrl: `${site}/oauth/token`,
              scopes: Object.fromEntries(scopesIn(operations).map((scope) => [scope, scope])),
            },
            clientCredentials: { tokenUrl: `${site}/oauth/token`, scopes: {} },
          },
        },
      },
      responses: Object.fromEntries(
        Object.entries(refusals).map(([status, why]) => [
          `refused-${status}`,
          { description: why, content: json({ $ref: "#/components/schemas/Error" }) },
        ]),
      ),
    },
  };
}

const description =
  "Ids are numbers as texts and sort by time. Lists have a Link header with rel=next and rel=prev. " +
  "Input may be JSON, a form or multipart. Every answer tells in X-RateLimit-* how many requests are left.";

function pathsOf(all: readonly Operation[]): Json {
  const paths: Record<string, Json> = {};
  for (const operation of all) {
    const path = (paths[operation.path] ??= {});
    path[operation.method] = serializeOperation(operation);
  }
  return paths;
}

function serializeOperation(operation: Operation): Json {
  const { method, path, summary, body, query, access, answer, paged } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    operationId: `${method} ${path}`.replaceAll(/\W+/g, "_").replace(/_$/, ""),
    summary,
    tags: [tagOf(operation)],
    parameters: [...inPath, ...(query === undefined ? [] : parametersOf(query))],
    ...(body === undefined ? {} : { requestBody: bodyOf(body) }),
    security: securityOf(access),
    responses: {
      "200": {
        description: "As asked for.",
        ...(paged ? { headers: { Link: { schema: { type: "string" } } } } : {}),
        content: contentOf(answer),
      },
      ...Object.fromEntries(
        Object.keys(refusals).map((status) => [
          status,
          { $ref: `#/components/responses/refused-${status}` },
        ]),
      ),
    },
  };
}

/** "statuses", of "/api/v1/statuses/{id}". */
export function tagOf({ path }: Operation): string {
  const [, noun = "oauth"] = /^\/api\/v\d\/([a-z_]+)/.exec(path) ?? [];
  return noun;
}

function securityOf(access: Operation["access"]): Json[] {
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

function schemaOf(answer: Answer): unknown {
  if ("schema" in answer) return jsonSchema(answer.schema);
  const reference = { $ref: `#/components/schemas/${answer.entity}` };
  return answer.list ? { type: "array", items: reference } : reference;
}

function contentOf(answer: Answer): Json {
  const type = "schema" in answer ? answer.type : undefined;
  return { [type ?? "application/json"]: { schema: schemaOf(answer) } };
}

function json(schema: unknown): Json {
  return { "application/json": { schema } };
}

function jsonSchema(schema: z.ZodType) {
  return withoutIds(z.toJSONSchema(schema, { io: "input" }));
}

/** Required is what its schema refuses when it is missing: zod takes defaults made by transforms for required. */
function inputSchema(input: z.ZodObject) {
  const required = Object.entries(input.shape)
    .filter(([, field]) => !z.safeParse(field, undefined).success)
    .map(([name]) => name);
  return { ...jsonSchema(input), required };
}

/** In a document they are named by where they stand. */
function withoutIds(schema: z.core.JSONSchema.BaseSchema) {
  delete schema.$schema;
  delete schema.$id;
  return schema;
}

function schemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(entities)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(made.schemas).map(([id, schema]) => [id, withoutIds(schema)]),
  );
}

function scopesIn(all: readonly Operation[]): string[] {
  return [...new Set(all.flatMap(({ access }) => scopesOf(access)))].toSorted();
}
