import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Visitor } from "../support/actors/visitor.ts";
import { picture } from "../support/data/pictures.ts";
import { alertsOn } from "../support/inspect/page.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const day = 24 * 60 * 60 * 1000;
const [home, school] = ["198.51.100.7", "203.0.113.1"];

describe("a flood that hurts nobody else", () => {
  let world: World;
  let member: Visitor;
  let friend: Visitor;
  let pupil: Visitor;
  beforeAll(async () => {
    const limits = { "signUps:address": 10 };
    world = await createWorld({ trustProxy: 1, limitFactor: 1, firstDayShare: 0.1, limits });
    [member, friend, pupil] = [at(home), at(home), at(home)];
    for (const [visitor, name] of [
      [member, "mia"],
      [friend, "fred"],
      [pupil, "pia"],
    ] as const)
      await visitor.signUp(name);
    world.pass(day + 1000);
    // Sits at the same address as the attacker from now on.
    pupil.agent.set("X-Forwarded-For", school);
    for (let nth = 0; nth < 12; nth += 1) await member.tweet(`mia writes ${nth}`);
    await member.follow("fred");
    await friend.tweet("@mia before the flood");
    await world.delivered();
  });
  afterAll(() => closeChecked(world));

  function at(address: string): Visitor {
    const visitor = world.visitor();
    visitor.agent.set("X-Forwarded-For", address);
    return visitor;
  }

  async function hostileAccounts(): Promise<Visitor[]> {
    const accounts: Visitor[] = [];
    const fields = { fullname: "Flood", password: "correct horse 42" };
    const counts = await many(25, async (nth) => {
      const visitor = at(school);
      const answer = await visitor.post("/signup", { ...fields, name: `flood${nth}` });
      if (answer.status === 303) accounts.push(visitor);
      return answer;
    });
    expect([counts(303), counts(429)]).toEqual([10, 15]);
    return accounts;
  }

  it("a hostile address and its accounts flood everything at once, and a member and their notifications are unharmed", async () => {
    const tweets = (await member.see("/@mia")).map(({ id }) => id);
    expect(tweets.length).toBe(12);
    const attackers = await hostileAccounts();
    const guesses = many(240, (nth) =>
      at(school).post("/login", { name: nth % 2 ? "mia" : `n${nth}`, password: "wrong" }),
    );
    const floods = Promise.all(attackers.map((one) => flood(one, tweets)));

    const served: number[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      served.push((await member.get("/")).status);
      served.push((await member.post("/tweets", { text: `undisturbed ${nth}` })).status);
      served.push(
        (await member.post("/login", { name: "mia", password: "correct horse 42" })).status,
      );
      // At the address of the attack.
      served.push((await pupil.post("/tweets", { text: `a pupil writes ${nth}` })).status);
    }
    await friend.tweet("@mia during the flood");
    const refused = await guesses;
    const tallies = await floods;

    expect(served.filter((status) => status !== 200 && status !== 303)).toEqual([]);
    expect(refused(429)).toBeGreaterThan(40);
    const [total = 0] = tallies.map(
      ([written, called, replied]) => written(303) + called(303) + replied(303),
    );
    expect(total).toBeLessThanOrEqual(30);
    for (const [written, called, , liked, retweeted, , reported, uploaded] of tallies) {
      expect(written(429)).toBeGreaterThanOrEqual(10);
      expect(called(303)).toBeLessThanOrEqual(11);
      expect(liked(303)).toBeLessThanOrEqual(60);
      expect(retweeted(303)).toBeLessThanOrEqual(30);
      expect(reported(429)).toBeGreaterThanOrEqual(4);
      expect(uploaded(429)).toBeGreaterThanOrEqual(4);
    }

    await world.delivered();
    const { text } = await member.get("/notifications").expect(200);
    expect(text).toContain("during the flood");
    expect(text).toContain("before the flood");
  });

  it("after a flood a pupil at its address logs in again with their browser, tweets and is not told to wait", async () => {
    await pupil.post("/logout").expect(303);
    await pupil.logIn("pia");
    await pupil.tweet("back again");
    await pupil.post("/@fred/follow").expect(303);
    const { text } = await at(school)
      .post("/login", { name: "pia", password: "wrong" })
      .expect(429);
    expect(alertsOn(text)[0] ?? text).toMatch(/Try again in \d+ (minutes|seconds)/);
  });
});

/** How often each status was the answer. */
async function many(count: number, send: (nth: number) => PromiseLike<{ status: number }>) {
  const tally = new Map<number, number>();
  for (let nth = 0; nth < count; nth += 1) {
    const { status } = await send(nth);
    tally.set(status, (tally.get(status) ?? 0) + 1);
  }
  return (status: number) => tally.get(status) ?? 0;
}

function plain({ status }: { status: number }) {
  return { status };
}

/** Everything that one account can do, as fast as it can. */
async function flood(hostile: Visitor, tweets: string[]) {
  const png = await picture("png");
  const report = { reason: "spam", comment: "" };
  const upload = () =>
    hostile.agent.post("/settings/avatar").attach("avatar", png, "a.png").then(plain);
  return await Promise.all([
    many(40, (nth) => hostile.post("/tweets", { text: `flood ${nth}` })),
    many(20, (nth) => hostile.post("/tweets", { text: `@mia @fred look ${nth}` })),
    many(20, (nth) =>
      hostile.post("/tweets", { text: `so? ${nth}`, reply_to: tweets[nth % 12] ?? "" }),
    ),
    many(24, (nth) => hostile.post(`/tweets/${tweets[nth % 12]}/like`)),
    many(24, (nth) => hostile.post(`/tweets/${tweets[nth % 12]}/retweet`)),
    many(5, () => hostile.post("/@mia/follow")),
    many(10, () => hostile.post("/@mia/report", report)),
    many(20, upload),
  ]);
}
