import type { Express } from "express";
import request, { type Response } from "supertest";
import type { Endpoint } from "../../src/web/api/endpoint.ts";

/** What a walk through the API asks for, by the endpoint: what stands in its path, and what is sent. */
export interface Asked {
  path?: Record<string, string>;
  query?: Record<string, string | string[]>;
  body?: Record<string, unknown>;
  token?: string | undefined;
}

/** "GET /api/v1/statuses/{id}" */
export function nameOf({ method, path }: Pick<Endpoint, "method" | "path">): string {
  return `${method.toUpperCase()} ${path}`;
}

/** The door of an endpoint, with what stands in its path. */
export function doorOf({ path }: Pick<Endpoint, "path">, values: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? "1"),
  );
}

/** As an app asks. */
export async function ask(
  app: Express,
  endpoint: Pick<Endpoint, "method" | "path">,
  { path = {}, query = {}, body, token }: Asked,
): Promise<Response> {
  const test = request(app)[endpoint.method](doorOf(endpoint, path)).query(query);
  if (token !== undefined) test.set("Authorization", `Bearer ${token}`);
  return await (body === undefined ? test : test.send(body));
}
