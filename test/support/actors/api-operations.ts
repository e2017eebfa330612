import type { Express } from "express";
import request, { type Response } from "supertest";
import type { Endpoint } from "../../../src/web/api/endpoint.ts";

/** Input of a call of an endpoint. */
export interface OperationInput {
  path?: Record<string, string>;
  query?: Record<string, string | string[]>;
  body?: Record<string, unknown>;
  token?: string | undefined;
}

/** "GET /api/v1/statuses/{id}" */
export function operationName({ method, path }: Pick<Endpoint, "method" | "path">): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Path of an endpoint with its parameters filled in. */
export function operationPath(
  { path }: Pick<Endpoint, "path">,
  values: Record<string, string>,
): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? "1"),
  );
}

/** Calls an endpoint as an app does. */
export async function callOperation(
  app: Express,
  endpoint: Pick<Endpoint, "method" | "path">,
  { path = {}, query = {}, body, token }: OperationInput,
): Promise<Response> {
  const test = request(app)[endpoint.method](operationPath(endpoint, path)).query(query);
  if (token !== undefined) test.set("Authorization", `Bearer ${token}`);
  return await (body === undefined ? test : test.send(body));
}
