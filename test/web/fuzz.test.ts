import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isForMachines } from "../../src/web/api/problems.ts";
import { TestApp } from "../support/app.ts";
import { expectSecureHeaders } from "../support/headers.ts";
import { type Answer, type Question, serve, sessionCookie, type Site } from "../support/raw.ts";
import { tweetId } from "../../src/domain/ids.ts";
import { getTweet } from "../../src/domain/tweets/store.ts";
import { statusId } from "../../src/web/api/ids.ts";
import { fill, type Route, routesOf } from "../support/routes.ts";
import { createWorld, type World } from "../support/world.ts";

const form = "application/x-www-form-urlencoded";
const fields =
  `name fullname password next text reply_to nonce bio website avatar session current_password
  new_password word duration reason comment subject verb act note file language client_name
  redirect_uris scopes client_id client_secret response_type redirect_uri scope state code_challenge
  code_challenge_method decision grant_type code code_verifier token app`.split(/\s+/);
const withAll = (value: string) => fields.map((field) => `${field}=${value}`).join("&");
const pollution =
  "__proto__[x]=1&__proto__=1&__proto__.x=1&constructor[prototype][x]=1&constructor=1&toString=1";

/** Bodies of POST requests: [what, content type, body]. */
const bodies: [string, string | undefined, string | undefined][] = [
  ["nothing", undefined, undefined],
  ["an empty form", form, ""],
  ["prototype pollution", form, pollution],
  ["prototype pollution in a whole form", form, `${withAll("abcdefgh1")}&${pollution}`],
  ["repeated fields", form, `${withAll("a")}&${withAll("b")}`],
  ["lists", form, fields.map((field) => `${field}[]=a&${field}[]=b`).join("&")],
  ["objects", form, fields.map((field) => `${field}[$ne]=a&${field}[length]=9`).join("&")],
  ["NUL", form, withAll("a%00b")],
  ["lone surrogates", form, withAll("%ED%A0%80%ED%BF%BF")],
  ["malformed escapes", form, withAll("%E0%A4%A%zz%")],
  ["control characters", form, withAll("%0D%0AX-Injected:%201%1B%7F%E2%80%AE")],
  ["paths and keys", form, withAll("..%2F..%2Fetc%2Fpasswd*%3A%7B%7D")],
  ["long text", form, `text=${"a".repeat(9000)}&name=${"b".repeat(9000)}&bio=${"c".repeat(9000)}`],
  ["only separators", form, "&=&==&&=a&b"],
  ["nearly 100 kB", form, `text=${"%F0%9F%90%A6".repeat(8000)}`],
  ["JSON", "application/json", JSON.stringify({ name: { $gt: "" }, text: ["a"], __proto__: 1 })],
  ["malformed JSON", "application/json", '{"name":'],
  ["plain text", "text/plain", withAll("a")],
  ["XML", "application/xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ["parts that never end", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form"],
  ["an unknown character set", `${form}; charset=x-unknown`, withAll("a")],
  ["a content type that is none", "x;;;=,", withAll("a")],
];

const queries = [
  "before=-1",
  "before=NaN",
  "before=1e999",
  "before=99999999999999999999999",
  "before=9007199254740991",
  "before=0",
  "before=1&before=2",
  "before[]=1&before[$gt]=",
  "before=%00",
  "before=%E0%A4%A",
  "next=//evil.example&next[]=x&name=%00&saved[]=1",
  pollution,
  `q=${"a".repeat(7000)}`,
  `q=${"%E9%9B%80".repeat(700)}&in=following&people[]=1`,
  "q=from:__proto__%20%00%20%23constructor&in=mine&in=following",
  "q=%ED%A0%80&people&after=%00%E0%A4%A",
  "q=a&people=1&after=a%20x",
  "%",
];

const parameters = [
  ..."0 -1 1e3 NaN 1.5 0x1 999999999999999 00001 __proto__ constructor hasOwnProperty".split(" "),
  ..."* %2A user:1 %00 1%00 %ED%A0%80 %E0%A4%A % %zz %2e%2e%2f%2e%2e%2fetc %C0%AF".split(" "),
  ..."%E9%9B%80 %0d%0aX-Injected:%201 %3Cscript%3E .. name.json %5C a%2Fb".split(" "),
  "9".repeat(400),
  "a".repeat(6000),
];

/** What the API calls the id of a tweet that is there. */
let existing = "";

function pathOf({ path }: Route, value?: string): string {
  const id = path.startsWith("/api/v1/statuses/") ? existing : "1";
  return fill(path, { name: value ?? "somebody", id: value ?? id, tag: value ?? "something" });
}

/** Every route is asked dozens of questions. */
const patience = 240_000;

describe("whatever is sent to any route", () => {
  let world: World;
  let site: Site;
  let routes: Route[];
  let token: string;
  let address = 0;
  beforeAll(async () => {
    world = await createWorld({ trustProxy: 1, apiRequests: 1e6 }, { workers: false });
    // Streams, once they are open, have no end to wait for; see web/api/streaming-doors.test.ts.
    routes = routesOf(world.app).filter(
      ({ path }) => !/^\/api\/v1\/streaming(\/(?!health)|$)/.test(path),
    );
    const person = await world.newcomer("somebody");
    await person.tweet("something");
    existing = statusId(await getTweet(world.ctx, tweetId(1)));
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
  async function send(question: Question): Promise<Answer> {
    // Each from an address of its own, as refused log-ins would soon be all there is.
    const from = `198.51.${(address >> 8) & 255}.${(address += 1) & 255}`;
    const headers = { "X-Forwarded-For": from, ...question.headers };
    const answer = await site.send({ ...question, headers });
    const about = `${question.method} ${question.path.slice(0, 80)}`;
    expect([about, answer.status]).toEqual([about, expect.toSatisfy((code) => code < 500)]);
    expect(answer.text).not.toMatch(/\n +at |node_modules|ReplyError|TypeError/);
    expect(answer.headers["x-injected"]).toBeUndefined();
    expectSecureHeaders(answer);
    return answer;
  }

  const signedIn = async () => sessionCookie(await world.visitor().logIn("somebody"));
  /** Nobody, and somebody: with a cookie, or through an app. */
  async function both({ path }: Route): Promise<Record<string, string>[]> {
    const isForApps = isForMachines(path);
    return [{}, isForApps ? { Authorization: `Bearer ${token}` } : { Cookie: await signedIn() }];
  }

  it("as a body is answered properly", { timeout: patience }, async () => {
    for (const route of routes.filter(({ method }) => method === "post"))
      for (const [, type, body] of bodies)
        for (const who of await both(route)) {
          const headers = type === undefined ? who : { ...who, "Content-Type": type };
          await send({ method: "POST", path: pathOf(route), headers, body });
        }
    expect(world.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it("as a query is answered properly", { timeout: patience }, async () => {
    for (const route of routes.filter(({ method }) => method === "get"))
      for (const headers of await both(route))
        for (const query of queries)
          await send({ method: "GET", path: `${pathOf(route)}?${query}`, headers });
  });

  it("as a part of a path is answered properly", async () => {
    const cookie = { Cookie: await signedIn() };
    const bearer = { Authorization: `Bearer ${token}` };
    for (const { method, path } of routes.filter((route) => route.path.includes(":"))) {
      const headers = isForMachines(path) ? bearer : cookie;
      for (const parameter of parameters) {
        const target = pathOf({ method, path }, parameter);
        const { status } = await send({ method: method.toUpperCase(), path: target, headers });
        // Nearly every word can be a tag; nobody has used it yet.
        const expected = path.includes(":tag") ? [200, 400, 404] : [400, 404];
        expect([target, status]).toEqual([target, expect.toBeOneOf(expected)]);
      }
    }
    for (const parameter of parameters) {
      await send({ method: "GET", path: `/${parameter}`, headers: cookie });
      await send({ method: "GET", path: `/css/${parameter}`, headers: cookie });
    }
  });

  it("as headers is answered properly", async () => {
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

  it("as something that is no path is answered properly", async () => {
    for (const path of [
      "*",
      "http://elsewhere.example/",
      "http://elsewhere.example/settings/profile",
    ])
      for (const method of ["OPTIONS", "GET"]) await send({ method, path });
    expect(world.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it("as another method is answered properly", async () => {
    for (const route of routes)
      for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "PROPFIND"])
        await send({ method, path: pathOf(route) });
  });

  it("is too large over 100 kB or 1,000 fields, at every door", async () => {
    const crowd = Array.from({ length: 1001 }, (_, index) => `a${index}=`).join("&");
    const heavy = `text=${"a".repeat(103_000)}`;
    for (const route of routes.filter(({ method }) => method === "post"))
      for (const body of [crowd, heavy])
        for (const who of await both(route)) {
          const headers = { ...who, "Content-Type": form };
          const answer = await send({ method: "POST", path: pathOf(route), headers, body });
          expect([route.path, answer.status]).toEqual([route.path, 413]);
        }
  });

  it("leaves no mark on prototypes", () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});
