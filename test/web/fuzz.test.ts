import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isForMachines } from "../../src/web/request/reader.ts";
import { TestApp } from "../support/actors/test-app.ts";
import { expectSecureHeaders } from "../support/inspect/secure-headers.ts";
import { bodies, parameters, queries } from "./fuzz-inputs.ts";
import { type RawResponse, type RawRequest, serve, type Site } from "../support/world/serve.ts";
import { sessionCookie } from "../support/inspect/cookies.ts";
import { tweetId } from "../../src/domain/ids.ts";
import { getTweet } from "../../src/domain/tweets/store.ts";
import { statusId } from "../../src/web/api/ids.ts";
import { refusedEndpoints } from "../../src/web/api/unsupported.ts";
import { fill, type Route, routesOf } from "../support/world/routes.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { someOf } from "../support/models/property-runs.ts";

const form = "application/x-www-form-urlencoded";

/** What the API calls the id of a tweet that is there. */
let existing = "";

const unsupported = refusedEndpoints.map(
  ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
);
/** Refused whatever the parameter; a text for a draft that is gone is given back with its problem. */
const refused = new Set([...unsupported, "post /drafts/:id"]);

function pathOf({ path }: Route, value?: string): string {
  const id = path.startsWith("/api/v1/statuses/") ? existing : "1";
  return fill(path, { name: value ?? "somebody", id: value ?? id, tag: value ?? "something" });
}

const otherMethods = ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "PROPFIND"];
/** Every route is asked dozens of questions by `npm run test:thorough`, and 20 % of them by `npm test`. */
const patience = 240_000;

describe("hostile requests", () => {
  let world: World;
  let site: Site;
  let routes: Route[];
  let token: string;
  let address = 0;
  let session = "";
  let boss = "";
  beforeAll(async () => {
    world = await createWorld({ trustProxy: 1, admins: ["boss"] }, { workers: false });
    // Streams, once they are open, have no end to wait for; see web/api/streaming-doors.test.ts.
    routes = routesOf(world.app).filter(
      ({ path }) => !/^\/api\/v1\/streaming(\/(?!health)|$)/.test(path),
    );
    const person = await world.newcomer("somebody");
    await person.tweet("something");
    existing = statusId(await getTweet(world.ctx, tweetId(1)));
    boss = sessionCookie(await world.visitor().logIn((await world.newcomer("boss")).name));
    const scopes = "read write follow push profile";
    const app = await TestApp.register(world, { scopes });
    token = await app.tokenFrom(person, { scope: scopes });
    site = await serve(world.app);
  });
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  /** Answers the request, and not by breaking. */
  async function send(question: RawRequest): Promise<RawResponse> {
    // Each from an address of its own, as refused log-ins would soon be all there is.
    const from = `198.51.${(address >> 8) & 255}.${(address += 1) & 255}`;
    const headers = { "X-Forwarded-For": from, ...question.headers };
    const answer = await site.send({ ...question, headers });
    const about = `${question.method} ${question.path.slice(0, 80)}`;
    if (answer.status >= 500)
      throw new Error(`${about}: ${answer.status} for ${question.body?.slice(0, 80)}`);
    expect(answer.text).not.toMatch(/\n +at |node_modules|ReplyError|TypeError/);
    expect(answer.headers["x-injected"]).toBeUndefined();
    expectSecureHeaders(answer);
    if (question.headers?.["Cookie"] === session && sessionCookie(answer) !== "") session = "";
    return answer;
  }

  /** Logs in again only after an answer has ended or replaced the session. */
  async function signedIn(): Promise<string> {
    if (session === "") session = sessionCookie(await world.visitor().logIn("somebody"));
    return session;
  }

  /** Headers of a visitor, and of a user: a cookie, or the token of an app. An admin only looks. */
  async function both({ method, path }: Route): Promise<Record<string, string>[]> {
    if (isForMachines(path)) return [{}, { Authorization: `Bearer ${token}` }];
    const isLook = method === "get" && path.startsWith("/admin");
    return [{}, { Cookie: await signedIn() }, ...(isLook ? [{ Cookie: boss }] : [])];
  }

  it("any body on any route is answered properly", { timeout: patience }, async () => {
    for (const route of routes.filter(({ method }) => !/get|delete/.test(method)))
      for (const [, type, body] of someOf(bodies))
        for (const who of await both(route)) {
          const headers = type === undefined ? who : { ...who, "Content-Type": type };
          await send({ method: route.method.toUpperCase(), path: pathOf(route), headers, body });
        }
    expect(world.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it("any query on any route is answered properly", { timeout: patience }, async () => {
    for (const route of routes.filter(({ method }) => method === "get"))
      for (const headers of await both(route))
        for (const query of someOf(queries))
          await send({ method: "GET", path: `${pathOf(route)}?${query}`, headers });
  });

  it("any path parameter on any route is answered properly", async () => {
    const cookie = { Cookie: await signedIn() };
    const bearer = { Authorization: `Bearer ${token}` };
    for (const { method, path } of routes.filter((route) => route.path.includes(":"))) {
      const isLook = method === "get" && path.startsWith("/admin/");
      const headers = isForMachines(path) ? bearer : isLook ? { Cookie: boss } : cookie;
      for (const parameter of someOf(parameters)) {
        const target = pathOf({ method, path }, parameter);
        const { status } = await send({ method: method.toUpperCase(), path: target, headers });
        // Nearly every word can be a tag, though an unused one.
        const forTags = path.includes(":tag") ? [200, 303, 422] : [];
        const forAdmins = path.startsWith("/admin/") ? [403] : [];
        const forRefused = refused.has(`${method} ${path}`) ? [422] : [];
        // Nothing is there to take back, which tells nothing of the tweet.
        const forUndone = /^\/tweets\/:id\/un(like|retweet|bookmark)$/.test(path) ? [303] : [];
        // A text for what is gone comes back.
        const isText = /^\/(messages\/:people|tweets\/:id\/edit)$/.test(path);
        const forTexts = isText && method === "post" ? [422] : [];
        const others = [...forTags, ...forAdmins, ...forRefused, ...forUndone, ...forTexts];
        const expected = [400, 404, ...others];
        expect([target, status]).toEqual([target, expect.toBeOneOf(expected)]);
      }
    }
    for (const parameter of parameters) {
      await send({ method: "GET", path: `/${parameter}`, headers: cookie });
      await send({ method: "GET", path: `/css/${parameter}`, headers: cookie });
    }
  });

  it("any header is answered properly", async () => {
    const hostile: Record<string, string>[] = [
      { Cookie: "suzume" },
      { Cookie: "suzume=s%3A" },
      { Cookie: "suzume=s%3A__proto__.x; suzume=%E0%A4%A; __proto__=1" },
      { Cookie: "language=__proto__; language=%E0%A4%A; language=" + "a".repeat(4000) },
      { "Accept-Language": `*;q=x,,;;constructor,${"ja-".repeat(1000)}` },
      { Host: "<script>alert(1)</script>" },
      { "X-Forwarded-Host": "a,b,,", "X-Forwarded-Proto": "gopher,," },
      { "X-Forwarded-For": "not an address, , ::1%25" },
      { "If-None-Match": "*", Range: "bytes=9-1,-,x" },
      { "Accept-Encoding": "x".repeat(4000), "User-Agent": "\u00e9".repeat(2000) },
      { "Content-Encoding": "gzip", "Content-Type": form },
    ];
    for (const headers of hostile)
      for (const path of [
        "/",
        "/@somebody",
        "/@somebody.rss",
        "/sitemap.xml",
        "/assets/app-ANYHASH0.css",
        "/settings/profile",
      ])
        await send({ method: "GET", path, headers });
    const encoded = { "Content-Encoding": "gzip", "Content-Type": form };
    for (const body of ["not gzip", "\u001F\u008B"])
      await send({ method: "POST", path: "/login", headers: encoded, body });
  });

  it("anything that is no path is answered properly", async () => {
    for (const path of [
      "*",
      "http://elsewhere.example/",
      "http://elsewhere.example/settings/profile",
    ])
      for (const method of ["OPTIONS", "GET"]) await send({ method, path });
    expect(world.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it("any method on any route is answered properly", async () => {
    for (const route of routes)
      for (const method of someOf(otherMethods)) await send({ method, path: pathOf(route) });
  });

  it("a body over 100 kB or 1,000 fields is too large on every route", async () => {
    const crowd = Array.from({ length: 1001 }, (_, index) => `a${index}=`).join("&");
    const heavy = `text=${"a".repeat(103_000)}`;
    for (const route of routes.filter(({ method }) => !/get|delete/.test(method)))
      for (const body of [crowd, heavy])
        for (const who of await both(route)) {
          const headers = { ...who, "Content-Type": form };
          const answer = await send({ method: "POST", path: pathOf(route), headers, body });
          // Without a token the API reads no body; where pictures are refused none is read either.
          const hasToken = "Authorization" in who;
          const unread = isForMachines(route.path) ? (hasToken ? [422] : [401, 404]) : [];
          expect([413, ...unread]).toContain(answer.status);
        }
  });

  it("hostile requests leave no mark on prototypes", () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});
