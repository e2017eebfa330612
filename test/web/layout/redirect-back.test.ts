import type { Request } from "express";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { returnPath } from "../../../src/web/layout/form.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const host = "site.example";
const hostile = [
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "https://evil.example/",
  "https:evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "/.//evil.example",
  "/%2e//evil.example",
  "/\t/evil.example",
  "/\r\nLocation: https://evil.example",
  "",
  "explore",
];

describe("redirects back", () => {
  const from = (next: unknown, referer?: string) => {
    const headers: Record<string, string | undefined> = { host, referer };
    const asked = { body: { next }, get: (name: string) => headers[name] };
    return returnPath(asked as unknown as Request, "/fallback");
  };

  it("a redirect back leads where the form says", () => {
    expect(from("/@ann?before=5", "http://site.example/other")).toBe("/@ann?before=5");
    expect(from(["/@ann"])).toBe("/fallback");
  });

  it("a redirect back leads to the page the browser came from, if that is on the site", () => {
    expect(from(undefined, `http://${host}/@ann?before=5#x`)).toBe("/@ann?before=5");
    expect(from(undefined, `https://${host}/`)).toBe("/");
    for (const referer of [
      undefined,
      "",
      "about:blank",
      "/@ann",
      "http://evil.example/@ann",
      `http://${host}.evil.example/`,
      `http://${host}:81/`,
      `http://${host}@evil.example/`,
      `javascript://${host}.evil/%0aalert(1)`,
      `data:text/html,${host}`,
    ])
      expect(from(undefined, referer)).toBe("/fallback");
  });

  it.each(hostile)("a redirect back never leads to %j", (path) => {
    expect(from(path)).toBe("/");
    expect(from(undefined, `http://${host}/${path}`)).toMatch(/^\/(?![/\\])/);
  });

  const part = fc.constantFrom(
    ..."/\\.:@?#%\t\r\n\0 ",
    "%2e",
    "..",
    "https:",
    host,
    "evil.example",
  );
  const path = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(""));

  it("a redirect back stays on the site, for any input", () => {
    fc.assert(
      fc.property(fc.option(path, { nil: undefined }), path, (next, rest) => {
        for (const referer of [rest, `http://${host}${rest}`, `http://${host}/${rest}`]) {
          const back = from(next, referer);
          expect(back).toMatch(/^\/(?![/\\])[\u0021-\u007E]*$/);
          expect(new URL(back, `http://${host}`).host).toBe(host);
        }
      }),
      runs(2000),
    );
  });

  describe("redirects back from a tweet's buttons", () => {
    let world: World;
    let ann: Visitor;
    let id: string;
    beforeAll(async () => {
      world = await createWorld({}, { workers: false });
      ann = await world.newcomer("ann");
      await ann.tweet("hello");
      const [tweet] = await ann.see("/@ann");
      id = tweet?.id ?? "";
    });
    afterAll(() => world.close());

    it.each(hostile)("a tweet's button leads to the front page instead of %j", async (next) => {
      for (const verb of ["like", "unlike", "retweet", "unretweet"]) {
        const answer = await ann.post(`/tweets/${id}/${verb}`, { next }).expect(303);
        expect(answer.headers["location"]).toBe(`/#tweet-${id}`);
      }
    });

    it("a tweet's button leads to the tweet's page if nothing better is known", async () => {
      const elsewhere = { Host: host, Referer: "http://evil.example/" };
      const answer = await ann.post(`/tweets/${id}/like`).set(elsewhere).expect(303);
      expect(answer.headers["location"]).toBe(`/tweets/${id}#tweet-${id}`);
    });
  });
});
