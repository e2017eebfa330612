import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve, type Site } from "../../support/world/serve.ts";
import { sessionCookie } from "../../support/inspect/cookies.ts";
import { password } from "../../support/actors/visitor.ts";
import { decode, getEncoded, knowsZstd } from "../../support/actors/encoded-response.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("compression", () => {
  let world: World;
  let site: Site;
  let cookie: string;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const person = await world.newcomer("somebody");
    for (let nth = 0; nth < 5; nth += 1) await person.tweet(`Tweet ${nth}`);
    const signedIn = await world.visitor().post("/login", { name: "somebody", password });
    cookie = sessionCookie(signedIn);
    site = await serve(world.app);
  });
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  const get = (path: string, accepted: string) =>
    getEncoded(site.port, path, { "Accept-Encoding": accepted, Cookie: cookie });

  it.each([
    ["a page", "/@somebody"],
    ["a feed", "/@somebody.rss"],
    ["a feed", "/@somebody.atom"],
    ["a feed", "/@somebody.json"],
    ["an error", "/nowhere"],
  ])("answers are compressed for clients that accept it: %s", async (_, path) => {
    const plain = await get(path, "identity");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    for (const [accepted, encoding] of [
      ["gzip, deflate, br, zstd", knowsZstd ? "zstd" : "br"],
      ["gzip, br, zstd;q=0", "br"],
      ["gzip", "gzip"],
    ] as const) {
      const answer = await get(path, accepted);
      expect(answer.headers["content-encoding"]).toBe(encoding);
      expect(answer.headers["vary"]).toContain("Accept-Encoding");
      expect(answer.body.length).toBeLessThan(plain.body.length / 1.5);
      expect(answer.headers["content-length"]).toBe(String(answer.body.length));
      expect(decode(answer).length).toBeGreaterThan(plain.body.length - 200);
    }
  });

  it("answers vary by Accept-Encoding, and say so to every client", async () => {
    const { headers } = await getEncoded(site.port, "/");
    expect(headers["vary"]).toMatch(/Accept-Encoding/);
    expect(headers["vary"]).toMatch(/Cookie/);
    expect(headers["content-encoding"]).toBeUndefined();
  });

  it("a HEAD answer has the length and encoding of the GET answer", async () => {
    const headers = { "Accept-Encoding": "br", Cookie: cookie };
    const whole = await getEncoded(site.port, "/@somebody", headers);
    const head = await site.send({ method: "HEAD", path: "/@somebody", headers });
    expect(head.text).toBe("");
    for (const name of ["content-encoding", "content-length", "content-type", "vary"])
      expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
  });

  it("a client that has an answer in any encoding is not sent it again", async () => {
    const first = await get("/@somebody.rss", "br");
    const known = { "If-None-Match": String(first.headers["etag"]) };
    for (const accepted of ["br", "gzip", "identity"]) {
      const headers = { "Accept-Encoding": accepted, ...known };
      const again = await getEncoded(site.port, "/@somebody.rss", headers);
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect(again.headers["content-encoding"]).toBeUndefined();
      expect(again.headers["vary"]).toContain("Accept-Encoding");
    }
  });

  it("downloads and tiny answers are not compressed", async () => {
    for (const path of ["/settings/data/export.jsonl", "/robots.txt", "/healthz"]) {
      const { status, headers } = await get(path, "gzip, br");
      expect([path, status]).toEqual([path, 200]);
      expect(headers["content-encoding"]).toBeUndefined();
    }
  });
});
