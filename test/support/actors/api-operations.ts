import type { Express } from "express";
import request, { type Response } from "supertest";
import type { Operation } from "../../../src/web/api/endpoint.ts";

/** What a walk through the API asks for, by the operation: what stands in its path, and what is sent. */
export interface OperationInput {
  path?: Record<string, string>;
  query?: Record<string, string | string[]>;
  body?: Record<string, unknown>;
  token?: string | undefined;
}

/** "GET /api/v1/statuses/{id}" */
export function operationName({ method, path }: Pick<Operation, "method" | "path">): string {
  return `${method.toUpperCase()} ${path}`;
}

/** The door of an operation, with what stands in its path. */
export function operationPath(
  { path }: Pick<Operation, "path">,
  values: Record<string, string>,
): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? "1"),
  );
}

/** As an app asks. */
export async function callOperation(
  app: Express,
  operation: Pick<Operation, "method" | "path">,
  { path = {}, query = {}, body, token }: OperationInput,
): Promise<Response> {
  const test = request(app)[operation.method](operationPath(operation, path)).query(query);
  if (token !== undefined) test.set("Authorization", `Bearer ${token}`);
  return await (body === undefined ? test : test.send(body));
}
