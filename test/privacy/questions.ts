import type { Express } from "express";
import type { z } from "zod";
import { endpoints } from "../../src/web/api/endpoints.ts";
import { type Route, routesOf } from "../support/world/routes.ts";
import { type Marked, type Member, siteUrl } from "./marked-posts.ts";
import type { MarkedSite } from "./marked-site.ts";
import type { Asked } from "./readers.ts";

/** A request that may tell of posts. */
export interface Question extends Asked {
  /** The post that its path or query names. */
  names?: Marked | undefined;
  /** The same path with the name of a post that never was. */
  missing?: string;
  /** What it sends, which may come back. */
  sent: string;
  /** One of many that differ in what they name. */
  isOneOfMany?: boolean;
}

/** A value of a parameter, and the post that it stands for. */
interface Value {
  text: string;
  names?: Marked | undefined;
  missing?: string | undefined;
}

/** Every route that reads, but streams, which have no end. */
export function readingRoutes(app: Express): Route[] {
  const streams = new Set(
    endpoints.filter(({ type }) => type === "text/event-stream").map(({ path }) => path),
  );
  return routesOf(app).filter(
    ({ method, path }) => method === "get" && !streams.has(path) && path !== "/healthz",
  );
}

/** Every route that changes something and names a tweet or a draft. */
export function writingRoutes(app: Express): Route[] {
  return routesOf(app).filter(
    ({ method, path }) =>
      method !== "get" && /\/(tweets|statuses|drafts|scheduled_statuses)\/:id\b/.test(path),
  );
}

/** What a route is asked: each of its parameters with all that it may stand for, and its queries. */
export function questionsOf(
  { method, path }: Route,
  site: MarkedSite,
  posts: readonly Marked[],
): Question[] {
  const filled = fillAll({ text: path }, site, posts);
  return filled.flatMap(({ text, names, missing }) =>
    [{ text: "", names }, ...queriesOf(path, site, posts)].map((query) => {
      const asked = `${text}${query.text}`;
      return {
        method: method.toUpperCase(),
        path: asked,
        sent: decodeURIComponent(asked),
        names: query.names ?? names,
        isOneOfMany: path.includes(":") || query.names !== undefined,
        ...(missing !== undefined && { missing: `${missing}${query.text}` }),
      };
    }),
  );
}

function fillAll(value: Value, site: MarkedSite, posts: readonly Marked[]): Value[] {
  const [parameter = "", name = ""] = /:(\w+)/.exec(value.text) ?? [];
  if (parameter === "") return [value];
  const before = value.text.slice(0, value.text.indexOf(parameter));
  return valuesOf(before, name, site, posts).flatMap(({ text, names, missing }) => {
    const next: Value = {
      text: value.text.replace(parameter, () => text),
      names: names ?? value.names,
    };
    const other = missing ?? (value.missing === undefined ? undefined : text);
    if (other !== undefined)
      next.missing = (value.missing ?? value.text).replace(parameter, () => other);
    return fillAll(next, site, posts);
  });
}

/** What a parameter may stand for. One of a kind that is not known here stands for all ids there are. */
function valuesOf(
  before: string,
  name: string,
  site: MarkedSite,
  posts: readonly Marked[],
): Value[] {
  const { members } = site;
  const tweets = posts.map((post) => ({ text: post.id, names: post, missing: "999999" }));
  if (name === "name") return texts(members.map((one) => one.name));
  if (name === "tag")
    return [{ text: "birds" }, ...posts.map((post) => ({ text: hashtagOf(post), names: post }))];
  if (name === "number") return texts(["1"]);
  if (name === "queue") return texts(["deliver"]);
  if (name === "file")
    return before === "/pictures/"
      ? posts.flatMap((post) =>
          post.files.slice(0, 1).map((text) => ({ text, names: post, missing: "x" })),
        )
      : texts(["x"]);
  if (name === "people") return conversationsOf(posts);
  if (name !== "id") return texts(["1"]);
  if (before === "/tweets/") return tweets;
  if (before.endsWith("/statuses/"))
    return posts.map((post) => ({ text: post.status, names: post, missing: "999999" }));
  if (/\/(drafts|scheduled_statuses)\/$/.test(before))
    return site.drafts.map((draft) => ({ text: draft.id, names: draft, missing: "999999" }));
  if (before.endsWith("/accounts/")) return texts(members.map(({ id }) => id));
  if (/\/lists?\/$/.test(before)) return texts(members.map(({ list }) => list));
  if (before.endsWith("/conversations/")) return conversationsOf(posts);
  const others = members.flatMap(({ id, list }) => [id, list]);
  return [...texts(others), ...posts.map((post) => ({ text: post.id, names: post }))];
}

function texts(all: readonly string[]): Value[] {
  return all.map((text) => ({ text }));
}

function hashtagOf({ marks }: Marked): string {
  return `hush${marks.at(-1)}h`;
}

/** Ids of the groups of people of messages, each with a message. */
function conversationsOf(posts: readonly Marked[]): Value[] {
  const groups = posts
    .filter(({ audience }) => audience === "mentioned")
    .map((post) => {
      const people = [post.author, ...(post.people as ReadonlySet<Member>)];
      const ids = new Set(people.map(({ id }) => id));
      const text = [...ids].toSorted((one, other) => Number(one) - Number(other)).join("-");
      return [text, { text, names: post, missing: "999999" }] as const;
    });
  return [...new Map(groups).values()];
}

/** Queries of a route: those of an endpoint by its schema, those of pages by their path. */
function queriesOf(path: string, site: MarkedSite, posts: readonly Marked[]): Value[] {
  const about = (spell: (post: Marked) => string) =>
    posts.map((names) => ({ text: `?${spell(names)}`, names }));
  if (path === "/search") return [...about(wordOf), { text: "?q=birds&in=following" }];
  if (path === "/search/completions")
    return ["%23hush", "%23birds", "%40d"].map((word) => ({ text: `?q=${word}` }));
  if (path === "/") return about(({ id }) => `quote=${id}`);
  if (path === "/oembed") return about((post) => `url=${addressOf(post)}`);
  if (path === "/admin/people") return [{ text: "?q=a" }];
  const api = endpoints.find(
    (one) => one.method === "get" && one.path.replaceAll(/\{(\w+)\}/g, ":$1") === path,
  );
  return Object.entries(api?.query?.shape ?? {}).flatMap(([field, schema]) => {
    if (field === "q") {
      const found = [...about(wordOf), ...about((post) => `q=${addressOf(post)}`)];
      const words = ["hush", "birds", "dan"].map((word) => ({ text: `?q=${word}` }));
      return path === "/api/v2/search" ? [...words, ...found] : words;
    }
    if (field === "acct") return site.members.map(({ name }) => ({ text: `?acct=${name}` }));
    if (field === "id") {
      const things = path.endsWith("/statuses") ? posts.map(({ status }) => status) : idsOf(site);
      return [0, 40].map((from) => ({
        text: `?${things
          .slice(from, from + 40)
          .map((id) => `id[]=${id}`)
          .join("&")}`,
      }));
    }
    // A switch understands words that other fields leave as they are.
    const isSwitch = (schema as z.ZodType).safeParse("true").data === true;
    return isSwitch ? [{ text: `?${field}=true` }] : [];
  });
}

function wordOf({ marks }: Marked): string {
  return `q=find${marks.at(-1)}`;
}

function addressOf({ id }: Marked): string {
  return encodeURIComponent(`${siteUrl}/tweets/${id}`);
}

function idsOf({ members }: MarkedSite): string[] {
  return members.map(({ id }) => id);
}
