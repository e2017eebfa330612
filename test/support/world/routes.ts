import type { Express } from "express";

const methods = ["get", "post", "put", "patch", "delete"] as const;

export interface Route {
  method: (typeof methods)[number];
  /** As declared: "/tweets/:id". */
  path: string;
}

/** Express's inner layer of a router, which its types hide. */
interface Layer {
  route?: { path: string; methods: Record<string, boolean>; stack: { handle: unknown }[] };
  handle: { stack?: Layer[] };
}

/** Every route of the site, so that tests of all routes include new ones. */
export function routesOf(app: Express): Route[] {
  return handlersOf(app).map(({ method, path }) => ({ method, path }));
}

/** Every route with its handlers. */
export function handlersOf(app: Express): (Route & { handlers: unknown[] })[] {
  const { stack } = app.router as unknown as { stack: Layer[] };
  return handlersIn(stack);
}

function handlersIn(layers: Layer[]): (Route & { handlers: unknown[] })[] {
  return layers.flatMap(({ route, handle }) => {
    if (route === undefined) return handlersIn(handle.stack ?? []);
    const handlers = route.stack.map((layer) => layer.handle);
    // `_all` takes any method.
    const understood = methods.filter((method) => route.methods[method] ?? route.methods["_all"]);
    return understood.map((method) => ({ method, path: route.path, handlers }));
  });
}

/** The path of a route with `values` for its parameters. */
export function fill(path: string, values: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? "1");
}
