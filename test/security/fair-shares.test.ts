import request from "supertest";
import { afterEach, describe, expect, it } from "vitest";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { MailScene, mailJobs, personWith } from "../mail/mail-scene.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { password } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** A form of a client with this address. */
const from = (world: World, address: string, path: string, fields: object) =>
  request(world.app).post(path).type("form").set("X-Forwarded-For", address).send(fields);

describe("what one client cannot use up", () => {
  const scene = new MailScene();
  let world: World | undefined;
  afterEach(async () => {
    await scene.end();
    await world?.close();
    world = undefined;
  });

  it("wrong passwords of one network in a day leave new browsers elsewhere their guesses", async () => {
    world = await createWorld({ trustProxy: 1 }, { workers: false });
    await world.newcomer("owner");
    const statuses: number[] = [];
    for (let window = 0; window < 12; window += 1) {
      // One network of IPv6, whatever part of it is used.
      for (let nth = 0; nth < 10; nth += 1) {
        const fields = { name: "owner", password: "wrong" };
        const { status } = await from(world, `2001:db8:1:${window}::1`, "/login", fields);
        statuses.push(status);
      }
    }
    expect(statuses.filter((status) => status === 422)).toHaveLength(20);
    await from(world, "198.51.100.7", "/login", { name: "owner", password }).expect(303);
  });

  it("reset mails that one network asks for leave the owner some, and third parties get few", async () => {
    world = await scene.world({ smtpUrl: "smtp://127.0.0.1:9", trustProxy: 1, limitFactor: 1 });
    await personWith(world, "bird@example.org");
    const mails = async () => {
      const jobs = [
        ...(await mailJobs(world as World, "waiting")),
        ...(await mailJobs(world as World, "delayed")),
      ];
      return jobs.filter((job) => (job as { kind: string }).kind === "reset").length;
    };
    const ask = (address: string) =>
      from(world as World, address, "/forgot/mail", { account: "bird" }).expect(303);
    for (let nth = 0; nth < 8; nth += 1) await ask("203.0.113.1");
    await expect.poll(mails).toBe(3);
    await ask("198.51.100.7");
    await expect.poll(mails).toBe(4);
  });

  it("mails to confirm an address that accounts of one network ask for leave its owner some", async () => {
    world = await scene.world({ smtpUrl: "smtp://127.0.0.1:9", trustProxy: 1, limitFactor: 1 });
    const ask = async (name: string, address: string) => {
      const visitor = await (world as World).newcomer(name);
      return await visitor
        .post("/settings/account/mail", { address: "bird@example.org", password })
        .set("X-Forwarded-For", address);
    };
    const strangers: number[] = [];
    for (const name of ["one", "two", "three", "four", "five"])
      strangers.push((await ask(name, "203.0.113.1")).status);
    expect(strangers).toEqual([303, 303, 303, 429, 429]);
    expect((await ask("bird", "198.51.100.7")).status).toBe(303);
  });

  it("notices of a few new accounts leave room for the first one of another", async () => {
    world = await createWorld({ limitFactor: 1, firstDayShare: 0.2 });
    const { ctx } = world;
    await world.newcomer("owner");
    const mention = async (name: string, times: number) => {
      await (world as World).newcomer(name);
      const { id } = await getUserByName(ctx, name);
      for (let nth = 0; nth < times; nth += 1)
        await postTweet(ctx, id, { text: `@owner ${name} ${nth}` });
    };
    for (const name of ["one", "two", "three", "four", "five"]) await mention(name, 5);
    await mention("friend", 1);
    await world.delivered();
    const owner = await ApiClient.of(world, "owner");
    const heard = async () => {
      const { body } = await owner.get("/api/v1/notifications?limit=80").expect(200);
      return (body as { account: { username: string } }[]).map(({ account }) => account.username);
    };
    await expect.poll(heard).toContain("friend");
    expect((await heard()).length).toBeLessThanOrEqual(16);
  });
});
