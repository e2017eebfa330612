import type { Express } from "express";
import type { Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitUntilReady } from "../../src/redis/client.ts";
import { type BootedSite, bootSite } from "../support/world/booted-site.ts";
import { cookiesIn } from "../support/inspect/cookies.ts";
import { password, Visitor } from "../support/actors/visitor.ts";

describe("limits in outages", () => {
  let site: BootedSite;
  let app: Express;
  let person: Visitor;
  beforeAll(async () => {
    const limits = {
      "tweets:account": 3,
      "signUps:address": 3,
      "logIns:account": 3,
      "logIns:browser": 3,
      "logIns:signedIn": 3,
    };
    site = await bootSite({ limits });
    ({ app } = site);
    person = new Visitor(app);
    await person.signUp("patient");
  });
  afterAll(() => site.close());

  const refuse = (refuses: boolean) => site.refuseWrites(refuses);

  const logIn = (name: string, word: string, by = new Visitor(app)) =>
    by.post("/login", { name, password: word });
  const change = () =>
    person.post("/settings/account", { current_password: password, new_password: "a sparrow 17" });
  const tweet = (by = person) => by.post("/tweets", { text: `again ${Math.random()}` });
  const signUp = () =>
    new Visitor(app).post("/signup", { name: "late", fullname: "Late", password });

  it("an outage uses up no log-in try, from a known browser or another, and sets no cookie", async () => {
    await refuse(true);
    const answers = await times(5, () => logIn("patient", password));
    answers.push(...(await times(5, () => logIn("patient", password, person))));
    await refuse(false);
    expectOutage(answers);
    await logIn("patient", password).expect(303);
    await logIn("patient", password, person).expect(303);
  });

  it("an outage uses up no try to type the password of an account", async () => {
    await refuse(true);
    const answers = await times(5, change);
    await refuse(false);
    expectOutage(answers);
    await change().expect(303);
    await logIn("patient", "a sparrow 17", person).expect(303);
  });

  it("an outage uses up no tweet and no sign-up", async () => {
    await refuse(true);
    const answers = [...(await times(5, () => tweet())), ...(await times(5, signUp))];
    await refuse(false);
    expectOutage(answers);
    const statuses = (await times(4, () => tweet())).map(({ status }) => status);
    expect(statuses).toEqual([303, 303, 303, 429]);
    await signUp().expect(303);
  });

  it("an outage in which Redis is silent until the answer is sent uses up nothing", async () => {
    const other = new Visitor(app);
    await other.signUp("other");
    site.server.freeze();
    const sent = Array.from({ length: 5 }, () => [logIn("other", password), tweet(other)]);
    const answers = await Promise.all(sent.flat());
    site.server.thaw();
    expectOutage(answers);
    expect(await waitUntilReady(site.ctx.redis, 5000)).toBe(true);
    await expect
      .poll(async () => (await logIn("other", password)).status, { timeout: 5000 })
      .toBe(303);
    // The connection of the queues opens by itself.
    const canPromise = () => site.ctx.jobs.counts().then(Boolean, () => false);
    await expect.poll(canPromise, { timeout: 5000 }).toBe(true);
    const statuses = (await times(3, () => tweet(other))).map(({ status }) => status);
    expect(statuses).toEqual([303, 303, 303]);
  });

  it("wrong passwords count in an outage, even if they cannot be written down", async () => {
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
