import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Express } from "express";
import type { Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boot, type Booted } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import { createApp } from "../../src/web/app.ts";
import { launchRedis, type RedisServer } from "../support/world/redis-server.ts";
import { cookiesIn } from "../support/inspect/cookies.ts";
import { password, Visitor } from "../support/actors/visitor.ts";
import { appOptions } from "../support/world/world.ts";

describe("an outage uses up nothing of what a user may do", () => {
  let dir: string;
  let server: RedisServer;
  let site: Booted;
  let app: Express;
  let person: Visitor;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    const path = join(dir, "r.sock");
    server = launchRedis(["--port", 0, "--unixsocket", path, "--dir", dir]);
    const limits = {
      "tweets:account": 3,
      "signUps:address": 3,
      "signUpForms:address": 5,
      "guesses:nameFromAddress": 3,
      "guesses:browser": 3,
      "guesses:signedIn": 3,
    };
    const config = { ...parseConfig({ LOG_LEVEL: "silent" }), bcryptCost: 4, limits };
    site = await boot(config, { urls: [path] });
    app = createApp(site.ctx, appOptions(site.queues));
    person = new Visitor(app);
    await person.signUp("patient");
  });
  afterAll(async () => {
    server.thaw();
    await site.close();
    await server.kill();
    await rm(dir, { recursive: true, force: true });
  });

  const refuse = async (refuses: boolean) =>
    void (await site.ctx.redis.config("SET", "min-replicas-to-write", refuses ? 1 : 0));

  const logIn = (name: string, word: string, by = new Visitor(app)) =>
    by.post("/login", { name, password: word });
  const change = () =>
    person.post("/settings/account", { current_password: password, new_password: "a sparrow 17" });
  const tweet = (by = person) => by.post("/tweets", { text: `again ${Math.random()}` });
  const signUp = () =>
    new Visitor(app).post("/signup", { name: "late", fullname: "Late", password });

  it("no try to log in, from a known browser or another, and no cookie is set", async () => {
    await refuse(true);
    const answers = await times(5, () => logIn("patient", password));
    answers.push(...(await times(5, () => logIn("patient", password, person))));
    await refuse(false);
    expectOutage(answers);
    await logIn("patient", password).expect(303);
    await logIn("patient", password, person).expect(303);
  });

  it("no try to type the password of an account", async () => {
    await refuse(true);
    const answers = await times(5, change);
    await refuse(false);
    expectOutage(answers);
    await change().expect(303);
    await logIn("patient", "a sparrow 17", person).expect(303);
  });

  it("no tweet and no sign-up", async () => {
    await refuse(true);
    const answers = [...(await times(5, () => tweet())), ...(await times(5, signUp))];
    await refuse(false);
    expectOutage(answers);
    const statuses = (await times(4, () => tweet())).map(({ status }) => status);
    expect(statuses).toEqual([303, 303, 303, 429]);
    await signUp().expect(303);
  });

  it("nothing, where Redis says nothing until the answer is out", async () => {
    const other = new Visitor(app);
    await other.signUp("other");
    server.freeze();
    const sent = Array.from({ length: 5 }, () => [logIn("other", password), tweet(other)]);
    const answers = await Promise.all(sent.flat());
    server.thaw();
    expectOutage(answers);
    expect(await waitUntilReady(site.ctx.redis, 5000)).toBe(true);
    await expect
      .poll(async () => (await logIn("other", password)).status, { timeout: 5000 })
      .toBe(303);
    const statuses = (await times(3, () => tweet(other))).map(({ status }) => status);
    expect(statuses).toEqual([303, 303, 303]);
  });

  it("while wrong passwords count, also where they cannot be written down", async () => {
    await refuse(true);
    const answers = await times(4, () => logIn("other", "wrong"));
    await refuse(false);
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 429]);
    await logIn("other", "wrong").expect(429);
  });
});

function expectOutage(answers: Response[]): void {
  for (const answer of answers) {
    expect(answer.status).toBe(503);
    expect(cookiesIn(answer)).toEqual([]);
  }
}

async function times(count: number, send: () => PromiseLike<Response>): Promise<Response[]> {
  const answers: Response[] = [];
  for (let time = 0; time < count; time += 1) answers.push(await send());
  return answers;
}
