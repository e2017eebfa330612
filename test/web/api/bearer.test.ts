import { readLanguages } from "../../../src/web/languages/translator.ts";
import express, { type Express } from "express";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { waitUntilReady } from "../../../src/redis/client.ts";
import type { Memory } from "../../../src/redis/memory.ts";
import { authorize, bearer, refuseBadTokens } from "../../../src/web/api/bearer.ts";
import { knows, needs } from "../../../src/web/api/endpoint.ts";
import { answerErrors } from "../../../src/web/request/errors.ts";
import { outagePagesOf } from "../../../src/web/server/error-503.ts";
import { TestApp } from "../../support/actors/test-app.ts";
import { password, type Visitor } from "../../support/actors/visitor.ts";
import {
  connectToTestRedis,
  createWorld,
  openMemory,
  type World,
} from "../../support/world/world.ts";

describe("bearer tokens", () => {
  let world: World;
  let elsewhere: RedisClient;
  let doors: Express;
  let memory: Memory;
  let person: Visitor;
  let app: TestApp;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    elsewhere = connectToTestRedis("web", world.ctx.config);
    await waitUntilReady(elsewhere, 5000);
    // As in another process.
    memory = await openMemory(elsewhere, world.ctx.config);
    const ctx = { ...world.ctx, redis: elsewhere, memory };
    doors = express();
    doors.use(bearer(ctx), refuseBadTokens);
    doors.get(
      "/api/home",
      (_req, res) => void res.json(authorize(res, needs("read:statuses"))?.name),
    );
    doors.get("/api/self", (_req, res) => {
      res.json(authorize(res, needs("profile", "read:accounts"))?.name);
    });
    doors.get(
      "/api/post",
      (_req, res) => void res.json(authorize(res, needs("write:statuses"))?.name),
    );
    doors.get("/api/public", (_req, res) => {
      res.json(authorize(res, knows("read:statuses"))?.name ?? "nobody");
    });
    doors.use(answerErrors(ctx, outagePagesOf(readLanguages(), {})));
    app = await TestApp.register(world, { scopes: "read write follow profile" });
    person = await world.newcomer("person");
  });
  afterAll(async () => {
    memory.close();
    elsewhere.disconnect();
    await world.close();
  });

  const ask = (path: string, token?: string) => {
    const asked = request(doors).get(path);
    return token === undefined ? asked : asked.set("Authorization", `Bearer ${token}`);
  };
  const own = async () => {
    const { body } = await app.post("/oauth/token", { grant_type: "client_credentials" });
    return (body as { access_token: string }).access_token;
  };

  it("a token allows what its scopes cover", async () => {
    const expected: [string, Record<string, number>][] = [
      ["read", { home: 200, self: 200, post: 403, public: 200 }],
      ["read:statuses", { home: 200, self: 403, post: 403, public: 200 }],
      ["profile", { home: 403, self: 200, post: 403, public: 403 }],
      ["write", { home: 403, self: 403, post: 200, public: 403 }],
      ["follow", { home: 403, self: 403, post: 403, public: 403 }],
    ];
    for (const [scope, statuses] of expected) {
      const token = await app.tokenFrom(person, { scope });
      for (const [door, status] of Object.entries(statuses)) {
        const answer = await ask(`/api/${door}`, token);
        expect([scope, door, answer.status]).toEqual([scope, door, status]);
        const refusal = { error: "This action is outside the authorized scopes" };
        expect(answer.body).toEqual(status === 200 ? "person" : refusal);
      }
    }
  });

  it("an app's own token is refused where a user is needed", async () => {
    const needed = { error: "This method requires an authenticated user" };
    for (const token of [undefined, await own()]) {
      const { body, headers } = await ask("/api/home", token).expect(401);
      expect(body).toEqual(needed);
      expect(headers["www-authenticate"]).toContain("Bearer");
      expect((await ask("/api/public", token).expect(200)).body).toBe("nobody");
    }
  });

  it("an invalid token is refused even where none is needed", async () => {
    const token = await app.tokenFrom(person);
    const [id = ""] = token.split(".");
    for (const wrong of [
      "null",
      "undefined",
      `${token}x`,
      token.slice(0, -1),
      token.replace(/^\d+/, "999999"),
      `${id}.${"x".repeat(43)}`,
      `__proto__.${"x".repeat(43)}`,
      "%00",
      "x".repeat(5000),
    ]) {
      const { body } = await ask("/api/public", wrong).expect(401);
      expect(body).toEqual({ error: "The access token is invalid" });
    }
  });

  it("the Bearer scheme may be in lower case", async () => {
    const token = await app.tokenFrom(person);
    await request(doors).get("/api/home").set("Authorization", `bearer ${token}`).expect(200);
  });

  it("a token in the URL does not count, except for streams", async () => {
    const token = await app.tokenFrom(person);
    const query = { access_token: token };
    await request(doors).get("/api/home").query(query).expect(401);
    const site = request(world.app);
    await site.get("/api/v1/accounts/verify_credentials").query(query).expect(401);
    await request(world.app).head("/api/v1/streaming/user").query(query).expect(200);
  });

  it("an ended token is refused with the next request, everywhere", async () => {
    const ended: ((token: string) => Promise<unknown>)[] = [
      (token) => app.revoke(token),
      () => person.post("/settings/apps", { app: app.client }).expect(303),
      () =>
        person
          .post("/settings/account", { current_password: password, new_password: "a new horse 43" })
          .expect(303),
    ];
    for (const end of ended) {
      const token = await app.tokenFrom(person);
      await ask("/api/home", token).expect(200);
      await end(token);
      const { body } = await ask("/api/home", token).expect(401);
      expect(body).toEqual({ error: "The access token is invalid" });
    }
  });

  it("the token of a suspended or deleted user is refused", async () => {
    const [rude, leaver] = [await world.newcomer("rude"), await world.newcomer("leaver")];
    const [one, other] = [await app.tokenFrom(rude), await app.tokenFrom(leaver)];
    await ask("/api/home", one).expect(200);
    await ask("/api/home", other).expect(200);
    await suspendUser(world.ctx, await getUserByName(world.ctx, "rude"));
    await leaver.post("/settings/account/delete", { name: "leaver", password }).expect(303);
    for (const token of [one, other]) {
      await ask("/api/home", token).expect(401);
      await ask("/api/public", token).expect(401);
    }
  });
});
