import express from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { findUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { answerErrors, answerPlainly } from "../../src/web/middleware/errors.ts";
import { outagesOf } from "../../src/web/outages.ts";
import { language } from "../../src/web/middleware/language.ts";
import { readLanguages } from "../../src/web/languages/languages.ts";
import { serve } from "../support/world/serve.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("the last error page (R16)", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("the error page has no navigation if its number cannot be read (R16)", async () => {
    const person = await world.newcomer("patient");
    await person.get("/").expect(200);
    const patient = (await findUserByName(world.ctx, "patient"))?.id as UserId;
    await world.ctx.redis.set(keys.notifications(patient), "no list");
    const { status, text } = await person.get("/explore");
    expect(status).toBe(500);
    expect(text).toContain("<!DOCTYPE html>");
    expect(text).toContain("Go home");
    expect(text).not.toMatch(/TypeError|node_modules|\.pug/);
  });

  it("the error page is plain text if its template fails, in development too (R16)", async () => {
    const app = express();
    app.set("env", "development");
    app.set("view engine", "pug");
    app.set("views", "/nowhere");
    app.use(language(readLanguages()));
    app.get("/defect", () => {
      throw new TypeError("a secret of the house");
    });
    app.use(answerErrors(world.ctx, outagesOf(readLanguages(), {})));
    app.use(answerPlainly);
    const site = await serve(app);
    const answer = await site.send({ method: "GET", path: "/defect" });
    expect(answer.status).toBe(500);
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(answer.text).toBe("something went wrong\n");
    await site.close();
  });
});
