import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { send } from "../support/actors/composer.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { picture } from "../support/data/pictures.ts";
import { type Item, itemsOn, meLinksOn } from "../support/inspect/microformats.ts";
import { tweetsOn } from "../support/inspect/page.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { findKeys } from "../support/world/redis-nodes.ts";
import { createWorld, type World } from "../support/world/world.ts";

const base = "https://bird.example";
const day = 24 * 60 * 60 * 1000;

describe("readers and programs outside of the site", () => {
  let world: World;
  let ann: Visitor;
  let bob: Visitor;
  let outside: Server;
  let url = "";
  /** What is at the website of a user, and how often it was asked for. */
  let home = "";
  let visits = 0;
  const pings: URLSearchParams[] = [];
  const takePing = async (req: IncomingMessage) =>
    void pings.push(new URLSearchParams(await text(req)));
  beforeAll(async () => {
    outside = createServer((req, res) => {
      if (req.method === "POST") void takePing(req).then(() => res.writeHead(202).end());
      else {
        visits += 1;
        res.writeHead(200, { "Content-Type": "text/html" }).end(home);
      }
    });
    await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
    world = await createWorld({ baseUrl: base, pushToLoopback: true, websubHub: `${url}hub` });
    ann = await world.newcomer("ann");
    bob = await world.newcomer("bob", "ja");
  });
  afterAll(async () => {
    await world.close();
    outside.close();
  });

  const page = async (path: string, who = world.visitor()) =>
    (await who.get(path).expect(200)).text;
  const entriesIn = (items: Item[]): Item[] =>
    items.flatMap((item) => [
      ...(item.type === "h-entry" ? [item] : []),
      ...entriesIn(item.children),
    ]);

  it("a profile is an h-card with a feed of entries", async () => {
    await ann.post("/settings/profile", { fullname: "Ann & Co", bio: "Birds.", website: "" });
    await send(ann, { text: "a <wall>", pictures: [await picture("png")], descriptions: ["wall"] });
    await send(ann, { text: "covered", warning: "loud", pictures: [await picture("png")] });
    const items = itemsOn(await page("/@ann"));
    const card = items.find(({ type }) => type === "h-card");
    expect(card?.properties).toMatchObject({
      name: ["Ann &amp; Co"],
      nickname: ["@ann"],
      url: ["/@ann"],
      uid: ["/@ann"],
      note: ["Birds."],
    });
    expect(card?.properties["photo"]).toHaveLength(1);
    const feed = items.find(({ type }) => type === "h-feed");
    const [newest, oldest] = feed?.children ?? [];
    expect(oldest).toMatchObject({
      type: "h-entry",
      properties: {
        content: ["a &lt;wall&gt;"],
        author: [{ type: "h-card", properties: { name: ["Ann &amp; Co"], url: ["/@ann"] } }],
        photo: [expect.stringContaining("/pictures/")],
        published: [expect.stringMatching(/^\d{4}-\d\d-\d\dT/)],
        url: [expect.stringMatching(/^\/tweets\/\d+$/)],
      },
    });
    // Machines know no covers.
    expect(newest?.properties["photo"]).toBeUndefined();
  });

  it("a thread is the entry, what it answers and the replies", async () => {
    const id = tweetsOn(await page("/@ann"))[1]?.id ?? "";
    const quote = `look ${base}/tweets/${id}`;
    await bob.post("/tweets", { text: quote, reply_to: id }).expect(303);
    const above = entriesIn(itemsOn(await page(`/tweets/${id}`)));
    const main = above.find(({ properties }) => properties["uid"] !== undefined);
    expect(main?.properties["uid"]).toEqual([`/tweets/${id}`]);
    const reply = above.find(({ properties }) => "in-reply-to" in properties);
    expect(reply?.properties).toMatchObject({
      "in-reply-to": [`/tweets/${id}`],
      "quotation-of": [{ type: "h-cite", properties: { content: ["a &lt;wall&gt;"] } }],
    });
  });

  it("a website that links back is marked as verified, and another is not", async () => {
    const save = async (website: string) => {
      await bob.post("/settings/profile", { fullname: "Bob", bio: "", website }).expect(303);
      await finishJobs(world);
    };
    home = `<a href="${base}/@ann" rel="me">`;
    await save(url);
    expect(await page("/@bob")).not.toContain("Verified");
    expect(meLinksOn(await page("/@bob"))).toEqual([url]);
    home = `<p><a class=x rel="nofollow me" href="${base}/@Bob/">me</a>`;
    // At most once a day.
    await save(url);
    expect(visits).toBe(1);
    for (const key of await findKeys(world.ctx.redis, "website:*")) await world.ctx.redis.del(key);
    await save(url);
    expect(visits).toBe(2);
    expect(await page("/@bob")).toContain("Verified");
    expect(await page("/@bob", bob)).toContain("確認済み");
    const { body } = await new ApiClient(world).get("/api/v1/accounts/lookup?acct=bob").expect(200);
    const { fields } = body as { fields: { verified_at: string | null }[] };
    expect(fields[0]?.verified_at).toMatch(/^\d{4}-/);
    // It stays so, without further visits.
    await save(url);
    expect(visits).toBe(2);
    await save(`${url}other`);
    expect(visits).toBe(3);
    world.pass(day);
    await save(`${url}empty`);
    home = "";
    expect(await page("/@ann")).not.toContain("Verified");
  });

  it("feeds name their hub, which is told of new public tweets of unprotected accounts", async () => {
    await finishJobs(world);
    pings.length = 0;
    await ann.tweet("for the hub");
    await finishJobs(world);
    expect(pings.map((ping) => [...ping])).toEqual([
      [
        ["hub.mode", "publish"],
        ["hub.url", `${base}/@ann.rss`],
        ["hub.url", `${base}/@ann.atom`],
        ["hub.url", `${base}/@ann.json`],
      ],
    ]);
    for (const format of ["rss", "atom", "json"]) {
      const { headers, text: feed } = await world.visitor().get(`/@ann.${format}`).buffer(true);
      expect(headers["link"]).toBe(`<${url}hub>; rel="hub", <${base}/@ann.${format}>; rel="self"`);
      expect(feed).toContain(`${url}hub`);
    }
    const { id } = await getUserByName(world.ctx, "ann");
    await world.ctx.redis.hset(keys.user(id), "protected", "1");
    await ann.tweet("for followers");
    await finishJobs(world);
    expect(pings).toHaveLength(1);
    const { headers } = await world.visitor().get("/@ann.rss");
    expect(headers["link"]).toBeUndefined();
  });
});
