import type { Express } from "express";
import request, { type Response } from "supertest";
import type { Operation } from "../../../src/web/api/endpoint.ts";

/** Input of a call of an operation. */
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

/** Path of an operation with its parameters filled in. */
export function operationPath(
  { path }: Pick<Operation, "path">,
  values: Record<string, string>,
): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? "1"),
  );
}

/** Calls an operation as an app does. */
export async function callOperation(
  app: Express,
  operation: Pick<Operation, "method" | "path">,
  { path = {}, query = {}, body, token }: OperationInput,
): Promise<Response> {
  const test = request(app)[operation.method](operationPath(operation, path)).query(query);
  if (token !== undefined) test.set("Authorization", `Bearer ${token}`);
  return await (body === undefined ? test : test.send(body));
}
