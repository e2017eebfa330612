import express from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Unavailable } from "../../src/domain/errors.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { writeSite } from "../../src/domain/site/settings.ts";
import { findUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { answerErrors, answerPlainly } from "../../src/web/request/errors.ts";
import { outagePagesOf } from "../../src/web/server/error-503.ts";
import { loadSite } from "../../src/web/request/site.ts";
import { language } from "../../src/web/request/reader.ts";
import { readLanguages } from "../../src/web/languages/translator.ts";
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

  it("the outage page has the branding that the site last had", async () => {
    const app = express();
    app.use(language(readLanguages()));
    app.use(loadSite(world.ctx));
    app.get("/", () => {
      throw new Unavailable("no Redis");
    });
    app.use(answerErrors(world.ctx, outagePagesOf(readLanguages(), {})));
    const site = await serve(app);
    const titleIn = async (languages: string) => {
      const headers = { "Accept-Language": languages };
      const { status, text } = await site.send({ method: "GET", path: "/", headers });
      return [status, /<title>.*<\/title>/.exec(text)?.[0]];
    };
    expect(await titleIn("en")).toEqual([503, expect.stringMatching(/ · Suzume<\/title>/)]);
    await writeSite(world.ctx, { name: "Beans & <b>" });
    for (const languages of ["en", "ja"])
      expect(await titleIn(languages)).toEqual([
        503,
        expect.stringMatching(/ · Beans &amp; &lt;b&gt;<\/title>/),
      ]);
    await site.close();
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
    app.use(answerErrors(world.ctx, outagePagesOf(readLanguages(), {})));
    app.use(answerPlainly);
    const site = await serve(app);
    const answer = await site.send({ method: "GET", path: "/defect" });
    expect(answer.status).toBe(500);
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(answer.text).toBe("something went wrong\n");
    await site.close();
  });
});
