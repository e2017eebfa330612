import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../support/actors/api-client.ts";
import { send, sources } from "../support/actors/composer.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { picture } from "../support/data/pictures.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

interface Posted {
  id: string;
  media_attachments: { url: string; preview_url: string }[];
}

describe("pictures of tweets that not everyone may see", () => {
  let world: World;
  let ann: Visitor;
  let bob: Visitor;
  let eve: Visitor;
  let app: ApiClient;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "http://localhost" });
    ann = await world.newcomer("ann");
    bob = await world.newcomer("bob");
    eve = await world.newcomer("eve");
    await bob.follow("ann");
    app = await ApiClient.of(world, "bob");
  });
  afterAll(() => world.close());

  const shown = async (audience: string): Promise<string> => {
    await send(ann, { text: audience, audience, pictures: [await picture("png")] });
    await world.delivered();
    const [address = ""] = sources((await ann.get("/").expect(200)).text);
    return address;
  };
  const anybody = () => world.visitor();
  const inApp = async (path: string) => {
    const { pathname, search } = new URL(path);
    return await anybody().get(pathname + search);
  };

  it("their address serves those who may see the tweet, and nobody keeps the file", async () => {
    const address = await shown("followers");
    for (const viewer of [ann, bob]) {
      const { headers } = await viewer.get(address).expect(200);
      expect(headers["cache-control"]).toBe("private, no-store");
    }
    await eve.get(address).expect(404);
    await anybody().get(address).expect(404);
    await bob.unfollow("ann");
    await bob.get(address).expect(404);
    await bob.follow("ann");
    await bob.get(address).expect(200);
  });

  it("a picture of an open tweet is served to all, and kept", async () => {
    const { headers } = await anybody()
      .get(await shown("unlisted"))
      .expect(200);
    expect(headers["cache-control"]).toContain("immutable");
  });

  it("an app's address is signed for its user, and asks the rule each time", async () => {
    await shown("followers");
    const [status] = (await app.get("/api/v1/timelines/home").expect(200)).body as Posted[];
    const { url = "", preview_url: preview = "" } = status?.media_attachments[0] ?? {};
    expect(url).toMatch(/\?for=2&key=[\w-]{43}$/);
    for (const address of [url, preview]) expect((await inApp(address)).status).toBe(200);
    expect((await inApp(url.replace("for=2", "for=1"))).status).toBe(404);
    expect((await inApp(url.replace(/.$/, "_"))).status).toBe(404);
    expect((await inApp(url.replace(/\?.*/, ""))).status).toBe(404);
    await bob.unfollow("ann");
    expect((await inApp(url)).status).toBe(404);
    await bob.follow("ann");
    expect((await inApp(url)).status).toBe(200);
  });

  it("an upload is served to its user alone until a tweet shows it", async () => {
    const author = await ApiClient.of(world, "ann");
    const sent = await author
      .send("post", "/api/v2/media")
      .attach("file", await picture("png"), "a.png")
      .expect(200);
    const { url } = sent.body as { url: string };
    expect((await inApp(url)).status).toBe(200);
    expect((await inApp(url.replace(/\?.*/, ""))).status).toBe(404);
    await ann.get(new URL(url).pathname).expect(200);
    await bob.get(new URL(url).pathname).expect(404);
  });

  it("a narrowed tweet takes its pictures along, those of earlier versions too", async () => {
    const address = await shown("public");
    await anybody().get(address).expect(200);
    const id = /data-tweet-id="(\d+)"/.exec((await ann.get("/")).text)?.[1];
    const url = `/tweets/${id}`;
    const { text: page } = await ann.get(`${url}/edit`).expect(200);
    const fields = hiddenFields(page, `${url}/edit`);
    await ann
      .post(`${url}/edit`, { ...fields, text: "without", audience: "followers" })
      .expect(303);
    await bob.get(address).expect(200);
    await eve.get(address).expect(404);
  });
});
