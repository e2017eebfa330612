import type { Express } from "express";

const methods = ["get", "post", "put", "patch", "delete"] as const;

export interface Route {
  method: (typeof methods)[number];
  /** As it was declared: "/tweets/:id". */
  path: string;
}

/** What Express keeps of a router; its types do not tell. */
interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
  handle: { stack?: Layer[] };
}

/** Every route of the site, so that a test of all routes never misses a new one. */
export function routesOf(app: Express): Route[] {
  const { stack } = app.router as unknown as { stack: Layer[] };
  return routesIn(stack);
}

function routesIn(layers: Layer[]): Route[] {
  return layers.flatMap(({ route, handle }) => {
    if (route === undefined) return routesIn(handle.stack ?? []);
    const understood = methods.filter((method) => route.methods[method]);
    return understood.map((method) => ({ method, path: route.path }));
  });
}

/** A path that a route matches, with `values` in the place of its parameters. */
export function fill(path: string, values: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? "1");
}
