import type { Request, RequestHandler, Response } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import type { User } from "../../domain/users/store.ts";
import type { EntityName } from "./openapi/entities.ts";

/** What an answer holds: one entity, a list of them, or an object that only its schema describes. */
export type Answer = { entity: EntityName; list: boolean } | { schema: z.ZodType; type?: string };

/** A token with `scope`, or with one of `or` instead. */
export interface ByScope {
  scope: Scope;
  or?: readonly Scope[];
  /** A request without a token is let in as well; a token still needs the scope. */
  optional?: true;
  /** The token is the app's own: no user has authorized it. */
  by?: "app";
}

/** Who may call an endpoint. "app": any app with a token, with or without a user. */
export type Access = "anybody" | "app" | ByScope;

/** An endpoint as the documentation shows it. */
export interface Operation {
  method: "get" | "post" | "patch" | "delete";
  /** As OpenAPI spells it: "/api/v1/statuses/{id}". */
  path: string;
  summary: string;
  access: Access;
  query?: z.ZodObject;
  body?: z.ZodObject;
  answer: Answer;
  /** Whether the answer has links to older and newer pages. */
  paged?: true;
}

/** What a handler gets: the viewer has passed `access`, and the input has passed its schemas. */
export interface Asked<Viewer = User | undefined, Query = unknown, Body = unknown> {
  ctx: Ctx;
  req: Request;
  res: Response;
  viewer: Viewer;
  query: Query;
  body: Body;
}

/** The one declaration of an endpoint: router, OpenAPI document, docs page and tests derive from it. */
export interface Endpoint extends Operation {
  /** Handlers that run before access and input are checked, such as limits. */
  before?: (ctx: Ctx) => RequestHandler[];
  handle: (asked: Asked) => void | Promise<void>;
}

type Schema = z.ZodObject | undefined;

type Parsed<S extends Schema> = S extends z.ZodObject ? z.output<S> : undefined;

/** Only a user's token names a viewer; without `optional` there is always one. */
type ViewerOf<A extends Access> = A extends string | { by: "app" }
  ? undefined
  : A extends { optional: true }
    ? User | undefined
    : User;

interface Declared<A extends Access, Q extends Schema, B extends Schema> extends Omit<
  Endpoint,
  "access" | "query" | "body" | "handle"
> {
  access: A;
  query?: Q;
  body?: B;
  handle: (asked: Asked<ViewerOf<A>, Parsed<Q>, Parsed<B>>) => void | Promise<void>;
}

/** Declares an endpoint; its `handle` is typed by its access and its schemas, which routerOf applies. */
export function endpoint<
  A extends Access,
  Q extends Schema = undefined,
  B extends Schema = undefined,
>(declared: Declared<A, Q, B>): Endpoint {
  return declared as unknown as Endpoint;
}

/** A user's token with one of these scopes. */
export function needs(scope: Scope, ...or: Scope[]): { scope: Scope; or: Scope[] } {
  return { scope, or };
}

/** The same where a token is optional. */
export function knows(scope: Scope, ...or: Scope[]): { scope: Scope; or: Scope[]; optional: true } {
  return { scope, or, optional: true };
}

/** An app's own token with this scope. */
export function needsApp(scope: Scope): { scope: Scope; by: "app" } {
  return { scope, by: "app" };
}

/** The scopes of which a token needs one; empty where scopes do not matter. */
export function scopesOf(access: Access): Scope[] {
  return typeof access === "string" ? [] : [access.scope, ...(access.or ?? [])];
}

export function one(entity: EntityName): Answer {
  return { entity, list: false };
}

export function many(entity: EntityName): Answer {
  return { entity, list: true };
}

/** Answers of what Suzume does not support. */
export const emptyList: Answer = { schema: z.array(z.never()).max(0) };
export const emptyObject: Answer = { schema: z.strictObject({}) };
