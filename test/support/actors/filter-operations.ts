import type { OperationInput } from "./api-operations.ts";

type Call = (method: string, path: string, asked?: OperationInput) => Promise<{ id: string }>;

/** What the endpoints of filters are asked, by their names. Makes the filters. */
export async function filterOperations(call: Call): Promise<Record<string, OperationInput>> {
  const filter = { title: "Spoilers", context: ["home"], keywords_attributes: [{ keyword: "x" }] };
  const make = async () => await call("post", "/api/v2/filters", { body: filter });
  const one = { path: { id: (await make()).id } };
  const first = await call("post", "/api/v1/filters", { body: { phrase: "z", context: ["home"] } });
  const old = { path: { id: first.id } };
  const { keywords } = (await make()) as unknown as { keywords: { id: string }[] };
  const keyword = { path: { id: keywords[0]?.id ?? "" } };
  return {
    "POST /api/v1/filters": { body: { phrase: "y", context: ["home"] } },
    "GET /api/v1/filters/{id}": old,
    "PUT /api/v1/filters/{id}": { ...old, body: { phrase: "zz", irreversible: true } },
    "DELETE /api/v1/filters/{id}": old,
    "POST /api/v2/filters": { body: filter },
    "GET /api/v2/filters/{id}": one,
    "PUT /api/v2/filters/{id}": { ...one, body: { title: "The end" } },
    "DELETE /api/v2/filters/{id}": one,
    "GET /api/v2/filters/{id}/keywords": one,
    "POST /api/v2/filters/{id}/keywords": { ...one, body: { keyword: "birds" } },
    "GET /api/v2/filters/{id}/statuses": one,
    "GET /api/v2/filters/keywords/{id}": keyword,
    "PUT /api/v2/filters/keywords/{id}": { ...keyword, body: { keyword: "y" } },
    "DELETE /api/v2/filters/keywords/{id}": keyword,
  };
}

/** The same for a status that will be posted, and for a poll by the user of the token. */
export async function scheduledOperations(
  call: Call,
  now: number,
  token: string,
): Promise<Record<string, OperationInput>> {
  const scheduled_at = new Date(now + 3_600_000).toISOString();
  const { id } = await call("post", "/api/v1/statuses", { body: { status: "Soon", scheduled_at } });
  const poll = { options: ["Seeds", "Crumbs"], expires_in: 3600 };
  const body = { status: "What do birds like?", poll };
  const asking = { path: await call("post", "/api/v1/statuses", { token, body }) };
  const path = { id };
  return {
    "GET /api/v1/polls/{id}": asking,
    "POST /api/v1/polls/{id}/votes": { ...asking, body: { choices: [1] } },
    "GET /api/v1/scheduled_statuses/{id}": { path },
    "PUT /api/v1/scheduled_statuses/{id}": { path, body: { scheduled_at } },
    "DELETE /api/v1/scheduled_statuses/{id}": { path },
  };
}
