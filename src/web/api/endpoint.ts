import type { Request, Response } from "express";
import { z } from "zod";
import type { Scope } from "../../domain/apps/scopes.ts";
import type { CountedVerb } from "../../domain/limit-classes.ts";
import type { User } from "../../domain/users/store.ts";
import type { Hub } from "../live/hub.ts";
import type { ApiView, Json } from "./entities/parts.ts";

/** A token with one of `scopes`. */
interface ByScope {
  scopes: readonly Scope[];
  /** A request without a token is allowed as well; a token still needs a scope. */
  optional?: true;
  /** The token is the app's own: no user has authorized it. */
  by?: "app";
}

/** Who may call an endpoint. "app": any app with a token, with or without a user. */
export type Access = "anybody" | "app" | ByScope;

/** A request that has passed the access and the schemas of its endpoint. */
export interface ApiRequest<
  Viewer extends User | undefined = User | undefined,
  Query = unknown,
  Body = unknown,
> extends ApiView {
  hub: Hub;
  req: Request;
  res: Response;
  viewer: Viewer;
  /** {id} and {tag} of the path. */
  params: { id: string; tag: string };
  query: Query;
  body: Body;
}

/** An endpoint: the router, the OpenAPI document, the page about the API and tests derive from it. */
export interface Endpoint {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** As OpenAPI spells it: "/api/v1/statuses/{id}". */
  path: string;
  summary: string;
  access: Access;
  query?: z.ZodObject;
  body?: z.ZodObject;
  answer: z.ZodType;
  /** Media type of the answer; default: JSON. */
  type?: string;
  /** Whether the answer has links to older and newer pages. */
  paged: boolean;
  /** What a request counts as; see limit-classes.ts. */
  counts?: CountedVerb;
  /** Fields of the domain by the API's names: problems are told beside these; of two with one name, the first. */
  names?: Readonly<Record<string, string>>;
  /** Returns the answer; undefined if it is sent already. */
  handle: (request: ApiRequest) => unknown;
}

/** The answer of what Suzume does not support. */
export const emptyList = z.array(z.never()).max(0);
const emptyObject = z.strictObject({});

type Input = z.ZodObject | undefined;

type Parsed<I extends Input> = I extends z.ZodObject ? z.output<I> : undefined;

/** Only a user's token names a viewer; without `optional` there is always one. */
type ViewerOf<A extends Access> = A extends string | { by: "app" }
  ? undefined
  : A extends { optional: true }
    ? User | undefined
    : User;

type Answered<R extends z.ZodType> = z.output<R> | Json | undefined | void;

type Route = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;

/** All of an endpoint but its access. */
interface Declared<
  A extends Access,
  Q extends Input,
  B extends Input,
  R extends z.ZodType,
  Target = undefined,
> extends Pick<Endpoint, "type" | "counts" | "names"> {
  query?: Q;
  body?: B;
  /** Default: an empty object. */
  answer?: R;
  handle: (
    request: ApiRequest<ViewerOf<A>, Parsed<Q>, Parsed<B>>,
    target: Target,
  ) => Answered<R> | Promise<Answered<R>>;
}

/**
 * Declares the endpoint `route`, such as "GET /api/v1/statuses/{id}". Its `handle` is typed by its access and
 * its schemas, which routerOf applies.
 */
export function endpoint<
  A extends Access,
  R extends z.ZodType = typeof emptyObject,
  Q extends Input = undefined,
  B extends Input = undefined,
>(route: Route, summary: string, declared: Declared<A, Q, B, R> & { access: A }): Endpoint {
  const [method, path] = route.split(" ");
  const { query, answer, handle } = declared;
  const paged = query !== undefined && "max_id" in query.shape && answer instanceof z.ZodArray;
  const facts = { method: method?.toLowerCase(), path, summary, paged };
  if (answer !== undefined) return { ...declared, ...facts } as unknown as Endpoint;
  const bare = async (...given: Parameters<typeof handle>) => (await handle(...given)) ?? {};
  return { ...declared, ...facts, answer: emptyObject, handle: bare } as unknown as Endpoint;
}

/**
 * Declares endpoints as `endpoint` does: a GET needs a user's token of the scope `reads`, any other one of `writes`.
 * `find` reads what the path names, for their `handle`.
 */
export function scoped<Target = undefined>(
  reads: Scope,
  writes: Scope,
  find?: (request: ApiRequest<User>) => Target | Promise<Target>,
) {
  return <
    R extends z.ZodType = typeof emptyObject,
    Q extends Input = undefined,
    B extends Input = undefined,
  >(
    route: Route,
    summary: string,
    { handle, ...declared }: Declared<Needed, Q, B, R, Target>,
  ): Endpoint =>
    endpoint<Needed, R, Q, B>(route, summary, {
      ...declared,
      access: needs(route.startsWith("GET ") ? reads : writes),
      handle: async (request) => handle(request, (await find?.(request)) as Target),
    });
}

type Needed = ReturnType<typeof needs>;

/** A user's token with one of these scopes. */
export const needs = (...scopes: Scope[]) => ({ scopes });

/** An optional user's token; if there is one, it needs one of these scopes. */
export const knows = (...scopes: Scope[]) => ({ scopes, optional: true as const });

/** The scopes of which a token needs one; empty where scopes do not matter. */
export function scopesOf(access: Access): readonly Scope[] {
  return typeof access === "string" ? [] : access.scopes;
}
