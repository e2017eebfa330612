import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitUntilReady } from "../../../src/redis/client.ts";
import { createQueues } from "../../../src/jobs/queue.ts";
import { networkOf } from "../../../src/domain/users/payer.ts";
import { createApp } from "../../../src/web/app.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { picture } from "../../support/data/pictures.ts";
import { findKeys } from "../../support/world/redis-nodes.ts";
import { alertsOn, hiddenFields } from "../../support/inspect/page.ts";
import { Visitor } from "../../support/actors/visitor.ts";
import {
  connectToTestRedis,
  createWorld,
  appOptions,
  type World,
} from "../../support/world/world.ts";

const namesOf = (count: number) => Array.from({ length: count }, (_, nth) => `@a${nth}`).join(" ");

describe("limits", () => {
  let world: World;
  let ann: Visitor;
  const limitTo = async (limits: Record<string, number>) => {
    world = await createWorld({ limits, trustProxy: 1, limitFactor: 1 }, { workers: false });
    ann = await world.newcomer("ann");
  };
  beforeEach(async () => {
    await limitTo({
      "tweets:account": 3,
      "reactions:account": 2,
      "follows:account": 1,
      "follows:address": 2,
      "reads:address": 300,
      "searches:address": 2,
      "changes:account": 20,
    });
  });
  afterEach(() => world.close());

  it("a page and the API share a limit, and keep what was typed with the time to wait", async () => {
    const app = await ApiClient.of(world, "ann");
    await ann.tweet("one");
    await app.post("/api/v1/statuses", { status: "two" }).expect(200);
    await ann.tweet("three");
    const { text, headers } = await ann
      .post("/tweets", { text: "the fourth, which took me long to write" })
      .expect(429);
    expect(text).toContain("the fourth, which took me long to write");
    expect(alertsOn(text)).toEqual(["Too many attempts in a short time. Try again in 3 hours."]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(2 * 60 * 60);
    const refused = await app.post("/api/v1/statuses", { status: "four" }).expect(429);
    expect(refused.body).toEqual({
      error: "Too many attempts in a short time. Try again in 3 hours.",
    });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(2 * 60 * 60);
    expect((await ann.see("/@ann")).map((tweet) => tweet.text)).toEqual(["three", "two", "one"]);
  });

  it("a tweet that names too many pictures counts for nothing", async () => {
    const app = await ApiClient.of(world, "ann");
    for (const name of ["bob", "carl"]) await world.newcomer(name);
    const ids = Array.from("12345", (digit) => digit.repeat(24));
    const typed = { text: "too many @bob @carl", uploads: ids.join(" ") };
    const named = { status: typed.text, media_ids: ids };
    for (let nth = 0; nth < 3; nth += 1) {
      const { text } = await ann.post("/tweets", typed).expect(422);
      expect(alertsOn(text)).toEqual(["A tweet can have at most four pictures."]);
      const { body } = await app.post("/api/v1/statuses", named).expect(422);
      expect((body as { error: string }).error).toContain("A tweet can have at most four pictures");
    }
    for (const text of ["one", "two", "three @ann"]) await ann.tweet(text);
    expect(await ann.see("/@ann")).toHaveLength(3);
  });

  it("uploads by page and API share a limit", async () => {
    const app = await ApiClient.of(world, "ann");
    const png = await picture("png");
    const send = () => app.send("patch", "/api/v1/accounts/update_credentials");
    // A change of the profile costs seven points, an upload six.
    await send().attach("avatar", png, "me.png").expect(200);
    await ann.agent.post("/settings/avatar").attach("avatar", png, "me.png").expect(303);
    await send().attach("avatar", png, "me.png").expect(429);
    await ann.agent.post("/settings/avatar").attach("avatar", png, "me.png").expect(429);
    await ann.post("/@nobody/block").expect(404);
  });

  it("each member that is added to a list counts", async () => {
    const app = await ApiClient.of(world, "ann");
    const { body } = await app.post("/api/v1/lists", { title: "Many" }).expect(200);
    const { id } = body as { id: string };
    const add = (account_ids: string[]) =>
      app.send("post", `/api/v1/lists/${id}/accounts`).send({ account_ids });
    // The list is the first of 20 points. There are no such users.
    await add(Array.from({ length: 18 }, (_, nth) => `${91 + nth}`)).expect(404);
    await ann.post(`/lists/${id}/edit`, { title: "Few" }).expect(303);
    await ann.post(`/lists/${id}/edit`, { title: "Fewer" }).expect(429);
  });

  it("a refusal by a limit is in the reader's language", async () => {
    const reader = await world.newcomer("hanako", "ja");
    for (const text of ["一", "二", "三"]) await reader.post("/tweets", { text }).expect(303);
    const { text } = await reader.post("/tweets", { text: "四つ目" }).expect(429);
    expect(alertsOn(text)).toEqual([
      "短い時間に操作が多すぎました。3時間後に、もう一度お試しください。",
    ]);
    expect(text).toContain("四つ目");
  });

  it("a limit counts in all processes together", async () => {
    const elsewhere = connectToTestRedis("web", world.ctx.config);
    await waitUntilReady(elsewhere, 5000);
    const queues = createQueues(elsewhere, () => {});
    const there = new Visitor(
      createApp({ ...world.ctx, redis: elsewhere, jobs: queues }, appOptions),
    );
    await there.logIn("ann");
    for (const visitor of [ann, there, ann])
      await visitor.post("/tweets", { text: "again" }).expect(303);
    await there.post("/tweets", { text: "again" }).expect(429);
    await queues.close();
    elsewhere.disconnect();
  });

  it("a refused reply stays a reply, with its text", async () => {
    await ann.tweet("one");
    const [tweet] = await ann.see("/@ann");
    for (const text of ["two", "three"]) await ann.post("/tweets", { text }).expect(303);
    const fields = { text: "a long answer", reply_to: tweet?.id ?? "", nonce: "n1" };
    const { text } = await ann.post("/tweets", fields).expect(429);
    expect(text).toContain("a long answer");
    expect(hiddenFields(text, "/tweets")).toMatchObject({ reply_to: tweet?.id, nonce: "n1" });
  });

  it("a refusal tells an app in its headers when the limit of the act is restored", async () => {
    const app = await ApiClient.of(world, "ann");
    for (const status of ["one", "two", "three"]) await app.post("/api/v1/statuses", { status });
    const { headers } = await app.post("/api/v1/statuses", { status: "four" }).expect(429);
    expect([headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]).toEqual(["3", "0"]);
    const wait = Date.parse(headers["x-ratelimit-reset"] ?? "") - world.ctx.now();
    expect(Math.abs(wait / 1000 - Number(headers["retry-after"]))).toBeLessThan(5);
  });

  it("mentions in tweets have a limit", async () => {
    // Of 36 points; a tweet costs twelve, and a name one.
    await ann.post("/tweets", { text: namesOf(11) }).expect(303);
    await ann.post("/tweets", { text: namesOf(2) }).expect(429);
    await ann.post("/tweets", { text: "a fourth" }).expect(429);
  });

  it("mentions of a tweet that is refused cost nothing", async () => {
    await ann.post("/tweets", { text: "@a @b @c", reply_to: "999" }).expect(422);
    for (const text of ["one", "two"]) await ann.post("/tweets", { text }).expect(303);
  });

  it("points that do not suffice for a verb are left for a smaller one", async () => {
    await ann.post("/tweets", { text: "one" }).expect(303);
    const [tweet] = await ann.see("/@ann");
    await ann.post(`/tweets/${tweet?.id}/retweet`).expect(429);
    for (const verb of ["like", "bookmark"])
      await ann.post(`/tweets/${tweet?.id}/${verb}`).expect(303);
    await ann.post(`/tweets/${tweet?.id}/bookmark`).expect(429);
  });

  it("limits count for the address as well as for the user", async () => {
    const others = await Promise.all(["bea", "cy"].map((name) => world.newcomer(name)));
    await ann.post("/@bea/follow").expect(303);
    await ann.post("/@cy/follow").expect(429);
    await others[0]?.post("/@ann/follow").expect(303);
    await others[1]?.post("/@ann/follow").expect(429);
    await others[1]?.post("/@ann/follow").set("X-Forwarded-For", "192.0.2.7").expect(303);
  });

  it("undoing is never limited", async () => {
    await world.newcomer("bea");
    await ann.post("/tweets", { text: "to be liked" });
    const [tweet] = await ann.see("/@ann");
    await ann.post(`/tweets/${tweet?.id}/like`).expect(303);
    for (let time = 0; time < 5; time += 1) {
      await ann.post(`/tweets/${tweet?.id}/unlike`).expect(303);
      await ann.post("/@bea/unfollow").expect(303);
      await ann.post("/@bea/unblock").expect(303);
    }
    await ann.post(`/tweets/${tweet?.id}/delete`).expect(303);
    await ann.post("/logout").expect(303);
  });

  it("searching people is limited: an address cannot try four hundred names", async () => {
    const statuses = new Map<number, number>();
    for (let nth = 0; nth < 400; nth += 1) {
      const { status } = await world.visitor().get(nth % 2 ? `/@n${nth}` : `/@n${nth}.rss`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [404, 300],
      [429, 100],
    ]);
    await ann.get("/@ann").expect(200);
    await world.visitor().get("/@ann").set("X-Forwarded-For", "192.0.2.7").expect(200);
  });

  it("keys of limits expire", async () => {
    await ann.post("/tweets", { text: "@bea" }).expect(303);
    await world.visitor().get("/search?q=a").expect(200);
    const keys = await findKeys(world.ctx.redis, "rate:*");
    expect(keys).toContain("rate:tweets:account:1");
    expect(keys).toContain(`rate:searches:address:${networkOf(world.ctx, "127.0.0.1")}`);
    expect(keys.join()).not.toContain("127.0.0.1");
    for (const key of keys) expect(await world.ctx.redis.ttl(key)).toBeGreaterThan(0);
  });
});
