import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, type World } from "../support/world/world.ts";

/**
 * The scoring of Mozilla's HTTP Observatory (algorithm 5, as in @mdn/mdn-http-observatory 1.4.8), for
 * what it looks at: 100, and for each line what is added or taken away. Lines that give nothing here
 * and can only cost points are in `losses`.
 */
const base = "https://suzume.example";

describe("the score of Mozilla's HTTP Observatory", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ production: true, baseUrl: base, trustProxy: 1 });
  });
  afterAll(() => world.close());

  const onHttps = (path: string) => request(world.app).get(path).set("X-Forwarded-Proto", "https");

  it.each(["/", "/signup", "/login", "/about", "/nowhere"])(
    "the score of Mozilla's HTTP Observatory is at least 115 for %s",
    async (path) => {
      const { headers, text } = await onHttps(path);
      const policy = String(headers["content-security-policy"]);
      const gains = {
        "policy that allows nothing by default, nothing unsafe":
          policy.includes("default-src 'none'") && !policy.includes("unsafe") ? 10 : -25,
        "referrer kept": /^(same-origin|no-referrer|strict-origin)/.test(
          headers["referrer-policy"] ?? "",
        )
          ? 5
          : 0,
        "no frames, by policy": policy.includes("frame-ancestors 'none'") ? 5 : -20,
        "resources for this origin only":
          headers["cross-origin-resource-policy"] === "same-origin" ? 10 : 0,
      };
      const maxAge = Number(
        /max-age=(\d+)/.exec(String(headers["strict-transport-security"]))?.[1] ?? 0,
      );
      const onHttp = await request(world.app).get(path);
      const scripts = [...text.matchAll(/<script[^>]*\ssrc="([^"]*)"/g)].map(
        ([, source]) => source,
      );
      const losses = {
        "cookies without Secure or HttpOnly": [headers["set-cookie"] ?? []]
          .flat()
          .some((cookie) => !/; Secure/i.test(cookie) || !/; HttpOnly/i.test(cookie))
          ? -40
          : 0,
        "any site may read": headers["access-control-allow-origin"] === undefined ? 0 : -50,
        "http that does not lead to https":
          onHttp.status === 301 && onHttp.headers["location"] === `${base}${path}` ? 0 : -20,
        "https for less than half a year": maxAge >= 15_768_000 ? 0 : -10,
        "scripts of others": scripts.every((source) => source?.startsWith("/")) ? 0 : -5,
        "types that are guessed": headers["x-content-type-options"] === "nosniff" ? 0 : -5,
      };
      const sum = [...Object.values(gains), ...Object.values(losses)].reduce((a, b) => a + b, 100);
      expect({ ...gains, ...losses, atLeast115: sum >= 115 }).toMatchObject({ atLeast115: true });
    },
  );
});
