import { Queue } from "bullmq";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { keys } from "../../src/redis/keys.ts";
import { tweetId } from "../../src/domain/ids.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

interface Line {
  msg: string;
  name?: string;
  request?: string;
  req?: { id: string; method: string; path: string };
}

describe("the id of a request", () => {
  let world: World;
  let ann: Visitor;
  let deliveries: Queue;
  beforeAll(async () => {
    world = await createWorld({ logLevel: "debug" });
    ann = await world.newcomer("ann");
    const fan = await world.newcomer("fan");
    await fan.follow("ann");
    deliveries = new Queue("deliver", { connection: world.ctx.redis, prefix: queuePrefix });
  });
  afterAll(async () => {
    await deliveries.close();
    await world.close();
  });

  const lines = () => world.logged.map((line) => JSON.parse(line) as Line);
  const requestTo = (path: string) =>
    lines().findLast(({ req }) => req?.method === "POST" && req.path === path)?.req?.id;

  it("the id of a request is in the lines of the jobs that it promised, and of those that these promised", async () => {
    const watched = await ann.get("/").expect(200);
    await (await fanOf(world)).post("/@ann/notify").expect(303);
    await ann
      .post("/tweets", { ...hiddenFields(watched.text, "/tweets"), text: "one" })
      .expect(303);
    await world.delivered();
    const id = requestTo("/tweets");
    expect(id).toMatch(/^[\da-f-]{36}$/);
    const jobs = () => lines().filter(({ msg, request }) => msg === "job done" && request === id);
    await expect.poll(() => jobs().map(({ name }) => name)).toContain("deliver");
    // Promised by the delivery, not by the request.
    await expect.poll(() => jobs().map(({ name }) => name)).toContain("notify-watchers");
  });

  it("the id of a request is in the line of a job that fails", async () => {
    const { text } = await ann.get("/").expect(200);
    const next = tweetId(Number(await world.ctx.redis.get(keys.tweetIds)) + 1);
    const followers = keys.followers((await world.ctx.redis.get(keys.username("ann"))) as never);
    await world.ctx.redis.del(followers);
    await world.ctx.redis.set(followers, "no set");
    await ann.post("/tweets", { ...hiddenFields(text, "/tweets"), text: "two" }).expect(303);
    const id = requestTo("/tweets");
    const failed = () =>
      lines().find(({ msg, request }) => msg === "job will be tried again" && request === id);
    await expect.poll(failed, { timeout: 10_000 }).toBeDefined();
    const job = await deliveries.getJob(`tweet-${next}`);
    expect(job?.opts.telemetry?.metadata).toBe(id);
    await world.ctx.redis.del(followers);
  });

  it("a job without a request has no id, and says nothing of one", async () => {
    await world.ctx.jobs.deliverTweet(tweetId(999));
    await world.delivered();
    const job = await deliveries.getJob("tweet-999");
    expect(job?.opts.telemetry?.metadata).toBeUndefined();
  });
});

async function fanOf(world: World): Promise<Visitor> {
  const fan = world.visitor();
  await fan.logIn("fan");
  return fan;
}
