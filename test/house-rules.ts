import { literalsOf, withoutComments } from "./support/inspect/source-text.ts";

/** A check of a file, given its path inside src/ and its text; returns what is wrong. */
export type Check = (path: string, text: string) => string[];

/** A folder of the domain may use those to its left. */
export const features = [
  "drawing",
  "users",
  "pictures",
  "site",
  "apps",
  "graph",
  "timelines",
  "tweets",
  "feeds",
  "notifications",
  "push",
  "search",
  "messages",
  "actions",
  "moderation",
  "factors",
  "community",
  "archives",
  "accounts",
];

/**
 * The same for the folders of web. Each feature of the site is a folder of `site` with `routes.ts`, and `form.ts` or
 * `view.ts` for what other features use or is long; more of a kind are called `…-view.ts`. `app.ts` is last.
 */
const webFolders = [
  "languages",
  "layout",
  "form",
  "view",
  "server and request",
  "live",
  "api",
  "routes",
];

/** Folders that only these programs use. */
const programs: Record<string, string[]> = {
  doctor: ["doctor.ts"],
  backup: ["backup.ts", "restore.ts"],
  admin: ["admin.ts"],
};

interface Import {
  from: string;
  /** Removed by the compiler. */
  typeOnly: boolean;
}

/** The allowed imports; docs/architecture.md has them as a table. */
export const checkImports: Check = (path, text) =>
  importsOf(text)
    .filter((one) => !isAllowed(path, one))
    .map(({ from }) => `${path} must not import ${from}`);

export function importsOf(text: string): Import[] {
  const source = withoutComments(text);
  const statements = source.matchAll(
    /(?:^|[;\n}])\s*(?:import|export)\s*(type\b)?(?:[^;"'()=]*?\bfrom)?\s*["']([^"']+)["']/g,
  );
  const calls = source.matchAll(/\bimport\(\s*["'`]([^"'`]+)["'`]/g);
  return [
    ...[...statements].map(([, type, from = ""]) => ({ from, typeOnly: type !== undefined })),
    ...[...calls].map(([, from = ""]) => ({ from, typeOnly: false })),
  ];
}

function isAllowed(path: string, { from, typeOnly }: Import): boolean {
  if (!from.startsWith(".")) return isAllowedPackage(path, from);
  const target = new URL(from, `file:///${path}`).pathname.slice(1);
  const to = target.replace(/\.ts$/, "");
  const layer = layerOf(path);
  if (layer === "web" && layerOf(target) === "web") return webRank(target) <= webRank(path);
  if (layer === layerOf(target) && layer !== "" && layer !== "domain") return true;
  switch (layer) {
    case "redis":
      return ["domain/ids", "domain/errors", "config"].includes(to);
    case "domain":
      return /^(context|storage\/storage)$|^redis\//.test(to) || isToTheLeft(path, target);
    case "jobs":
      return /^(domain\/|mail\/|push\/|fetch\/|context$|config$|redis\/(clocks|keys|redis-client)$)/.test(
        to,
      );
    case "storage":
      return ["config", "domain/errors"].includes(to);
    case "mail":
      return /^(domain\/|web\/languages\/|context$|config$)/.test(to);
    case "push":
      return /^(domain\/|web\/languages\/|fetch\/public-lookup$|context$|config$)/.test(to);
    case "fetch":
      return /^(domain\/|context$|config$)/.test(to);
    case "web":
      return /^(domain\/|context$|config$|storage\/storage$)/.test(to);
    case "migrations":
      return /^(redis|domain)\/|^(context|config)$/.test(to);
    case "admin":
      return /^(redis|domain|migrations)\/|^context$/.test(to);
    case "backup":
      return /^(redis|migrations)\/|^(context|config|domain\/ids)$/.test(to);
    case "doctor":
      return /^(redis|domain|jobs)\/|^(context|config|boot)$/.test(to);
    default:
      if (to === "settings" || path === "config.ts")
        return (to === "settings" || (to === "domain/limits" && typeOnly)) && path === "config.ts";
      if (path === "settings.ts") return /^domain\/limits$/.test(to);
      if (layerOf(target) in programs) return programs[layerOf(target)]?.includes(path) === true;
      return path !== "context.ts" || typeOnly;
  }
}

function isAllowedPackage(path: string, name: string): boolean {
  const forbidden: Record<string, RegExp> = {
    domain: /^(express|pug|bullmq)\b/,
    web: /^(ioredis|bullmq)\b/,
    redis: /^(express|pug|bullmq)\b/,
    mail: /^(express|pug|bullmq|ioredis)\b/,
    push: /^(express|pug|bullmq|ioredis)\b/,
    fetch: /^(express|pug|bullmq|ioredis)\b/,
  };
  return forbidden[layerOf(path)]?.test(name) !== true;
}

/** The first folder; empty for files beside the folders. */
function layerOf(path: string): string {
  return path.includes("/") ? (path.split("/")[0] ?? "") : "";
}

function webRank(file: string): number {
  if (file === "web/app.ts") return webFolders.length;
  const [, folder = ""] = file.split("/");
  if (folder === "site") return webFolders.indexOf(/(form|view|routes)\.ts$/.exec(file)?.[1] ?? "");
  const isBelow = folder === "server" || folder === "request" || folder === "locals.d.ts";
  return webFolders.indexOf(isBelow ? "server and request" : folder);
}

const rank = (file: string) => {
  const feature = file.split("/").at(-2) ?? "";
  return feature === "domain" ? -1 : features.indexOf(feature);
};

/** Files of domain itself may be used by every feature, and use none. */
function isToTheLeft(path: string, target: string): boolean {
  if (layerOf(target) !== "domain") return false;
  const isKnown = rank(target) !== -1 || target.split("/").length === 2;
  return isKnown && rank(target) <= rank(path);
}

/** Only config.ts reads the environment. */
export const checkEnvironment: Check = (path, text) =>
  path !== "config.ts" &&
  /\bprocess\s*(\?\.|\.)?\s*(\[\s*["'])?(env|loadEnvFile)\b|import\.meta\.env|\benv\b[^;]*from\s*["'](node:)?process["']/.test(
    withoutComments(text),
  )
    ? [`${path} reads the environment`]
    : [];

const escape = (text: string) => text.replaceAll(/[{}]/g, "\\$&");

/** Only redis/keys.ts spells a key. `known` are all keys, with anything for their ids. */
export function checkKeys(known: readonly string[]): Check {
  const starts = new Set(known.map((key) => escape(key.replace(/:.*/, ""))));
  const ends = new Set(known.map((key) => /:([a-z_]+)$/.exec(key)?.[1]).filter(Boolean));
  const beginning = new RegExp(`^(${[...starts].join("|")}):(?! )|^\\{\\w+\\}`);
  const ending = new RegExp(`\\}:(${[...ends].join("|")})\\b`);
  return (path, text) =>
    // A migration spells keys of the past.
    path === "redis/keys.ts" || path.startsWith("migrations/")
      ? []
      : literalsOf(text)
          .filter((literal) => beginning.test(literal) || ending.test(literal))
          .map((literal) => `${path} spells the key ${literal}`);
}

/** Groups of files that import each other, types included; `sources` by their paths inside src/. */
export function findCircles(sources: { name: string; text: string }[]): string[][] {
  const targets = new Map(
    sources.map(({ name, text }) => [
      name,
      importsOf(text)
        .filter(({ from }) => from.startsWith("."))
        .map(({ from }) => new URL(from, `file:///${name}`).pathname.slice(1)),
    ]),
  );
  const reachable = (start: string): Set<string> => {
    const seen = new Set<string>();
    const open = [start];
    for (let file = open.pop(); file !== undefined; file = open.pop())
      for (const target of targets.get(file) ?? []) {
        if (!seen.has(target)) open.push(target);
        seen.add(target);
      }
    return seen;
  };
  const reach = new Map([...targets.keys()].map((name) => [name, reachable(name)]));
  const inCircle = [...targets.keys()].filter((name) => reach.get(name)?.has(name) === true);
  const groups = new Map<string, string[]>();
  for (const name of inCircle) {
    const group = inCircle.filter(
      (other) => reach.get(name)?.has(other) && reach.get(other)?.has(name),
    );
    groups.set(group.join(), group);
  }
  return [...groups.values()];
}
