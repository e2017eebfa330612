import type { Express } from "express";

const methods = ["get", "post", "put", "patch", "delete"] as const;

export interface Route {
  method: (typeof methods)[number];
  /** As it was declared: "/tweets/:id". */
  path: string;
}

/** What Express keeps of a router; its types do not tell. */
interface Layer {
  route?: { path: string; methods: Record<string, boolean>; stack: { handle: unknown }[] };
  handle: { stack?: Layer[] };
}

/** Every route of the site, so that a test of all routes never misses a new one. */
export function routesOf(app: Express): Route[] {
  return handlersOf(app).map(({ method, path }) => ({ method, path }));
}

/** Every route with the handlers that it has. */
export function handlersOf(app: Express): (Route & { handlers: unknown[] })[] {
  const { stack } = app.router as unknown as { stack: Layer[] };
  return handlersIn(stack);
}

function handlersIn(layers: Layer[]): (Route & { handlers: unknown[] })[] {
  return layers.flatMap(({ route, handle }) => {
    if (route === undefined) return handlersIn(handle.stack ?? []);
    const handlers = route.stack.map((layer) => layer.handle);
    // `_all` is a door that takes any method.
    const understood = methods.filter((method) => route.methods[method] ?? route.methods["_all"]);
    return understood.map((method) => ({ method, path: route.path, handlers }));
  });
}

/** A path that a route matches, with `values` in the place of its parameters. */
export function fill(path: string, values: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? "1");
}
