import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isForMachines } from "../../../src/web/request/reader.ts";
import { fill, routesOf } from "../../support/world/routes.ts";
import { sessionCookie } from "../../support/inspect/cookies.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("writes from other sites", () => {
  let world: World;
  let cookie: string;
  let doors: string[];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    cookie = sessionCookie(await world.visitor().signUp("victim"));
    const posts = routesOf(world.app).filter((route) => route.method === "post");
    // Apps may ask from any site: their doors know no cookies.
    const ofPages = posts.filter((route) => !isForMachines(route.path));
    doors = ofPages.map((route) => fill(route.path, { name: "victim", id: "1" }));
  });
  afterAll(() => world.close());

  const from = (headers: { "Sec-Fetch-Site"?: string; Origin?: string }, path: string) =>
    request(world.app)
      .post(path)
      .type("form")
      .set({ Cookie: cookie, Host: "suzume.example", ...headers })
      .send({ text: "not mine" });

  it("a write from another site is refused on every route", async () => {
    expect(doors.length).toBeGreaterThan(8);
    for (const path of doors) {
      for (const headers of [
        { "Sec-Fetch-Site": "cross-site" },
        { "Sec-Fetch-Site": "same-site" },
        { "Sec-Fetch-Site": "cross-site", Origin: "https://suzume.example" },
        { Origin: "https://evil.example" },
        { Origin: "https://suzume.example.evil.example" },
        { Origin: "https://evil.suzume.example" },
        { Origin: "http://suzume.example:8080" },
        // This site is on http, and a network can put any page there.
        { Origin: "https://suzume.example" },
        { Origin: "null" },
        { Origin: "" },
      ])
        expect([path, headers, (await from(headers, path)).status]).toEqual([path, headers, 403]);
    }
    await request(world.app).get("/settings/profile").set("Cookie", cookie).expect(200);
    expect((await request(world.app).get("/@victim")).text).not.toContain("not mine");
  });

  it("a write on an API route ignores cookies", async () => {
    for (const path of ["/api/v1/apps/verify_credentials", "/api/nowhere"]) {
      const { headers, status } = await request(world.app).get(path).set("Cookie", cookie);
      expect([path, status]).toEqual([path, path.endsWith("nowhere") ? 404 : 401]);
      expect(headers["set-cookie"]).toBeUndefined();
    }
  });

  it("a write from another site is refused with every method", async () => {
    for (const method of ["put", "patch", "delete"] as const) {
      const foreign = request(world.app)[method]("/tweets").set("Sec-Fetch-Site", "cross-site");
      await foreign.expect(403);
    }
  });

  it("a write is accepted from our pages, from the address bar and from programs", async () => {
    for (const headers of [
      {},
      { "Sec-Fetch-Site": "same-origin", Origin: "https://suzume.example" },
      { "Sec-Fetch-Site": "none" },
      { Origin: "http://suzume.example" },
    ])
      expect([headers, (await from(headers, "/tweets")).status]).toEqual([headers, 303]);
  });

  it("links from other sites work", async () => {
    for (const path of ["/", "/explore", "/@victim", "/login"]) {
      const visit = request(world.app).get(path).set("Sec-Fetch-Site", "cross-site");
      await visit.expect(200);
    }
  });
});

describe("behind a proxy that renames the host", () => {
  it("behind a renaming proxy writes are checked against the configured address", async () => {
    const world = await createWorld({ baseUrl: "https://suzume.example" }, { workers: false });
    const post = (origin: string) =>
      request(world.app).post("/logout").set({ Host: "10.0.0.7:3000", Origin: origin });
    await post("https://suzume.example").expect(303);
    await post("https://evil.example").expect(403);
    await world.close();
  });

  it("a write to a site on https is refused if it comes from the same host on http", async () => {
    const world = await createWorld({ trustProxy: 1 }, { workers: false });
    const post = (origin: string) =>
      request(world.app)
        .post("/logout")
        .set({ Host: "suzume.example", "X-Forwarded-Proto": "https", Origin: origin });
    await post("https://suzume.example").expect(303);
    await post("http://suzume.example").expect(403);
    await world.close();
  });
});
