import type { Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send, sources } from "../support/actors/composer.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { picture } from "../support/data/pictures.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const minute = 60_000;
const site = "https://birds.example";

describe("editing tweets on the site", () => {
  let world: World;
  let ann: Visitor;
  let bob: Visitor;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: site });
    ann = await world.newcomer("ann");
    bob = await world.newcomer("bob");
    await bob.follow("ann");
  });
  afterAll(() => closeChecked(world));

  const tweets = async (text: string): Promise<string> => {
    await ann.tweet(text);
    await world.delivered();
    const [tweet] = await ann.see("/@ann");
    return `/tweets/${tweet?.id}`;
  };
  /** Sends the form of an edit as a browser without scripts does. */
  const edit = async (url: string, typed: Record<string, string>): Promise<Response> => {
    const { text: page } = await ann.get(`${url}/edit`).expect(200);
    return await ann.post(`${url}/edit`, { ...hiddenFields(page, `${url}/edit`), ...typed });
  };

  it("the menu of an own tweet leads to a form with its text, and all may read what it was", async () => {
    const url = await tweets("A tpyo");
    expect((await ann.get(url)).text).toContain(`href="${url}/edit"`);
    expect((await bob.get(url)).text).not.toContain(`${url}/edit`);
    expect((await ann.get(`${url}/edit`)).text).toContain(">A tpyo</textarea>");
    const sent = await edit(url, { text: "A typo" });
    expect([sent.status, sent.headers["location"]]).toEqual([303, url]);
    const { text: page } = await world.visitor().get(url).expect(200);
    expect(page).toMatch(new RegExp(`href="${url}/history">Edited \\w+ \\d`));
    const { text: history } = await world.visitor().get(`${url}/history`).expect(200);
    expect(history.indexOf("A typo")).toBeGreaterThan(0);
    expect(history.indexOf("A tpyo")).toBeGreaterThan(history.indexOf("A typo"));
    expect(history).toContain("As it was posted");
    const japanese = await world.visitor("ja").get(`${url}/history`).expect(200);
    expect(japanese.text).toContain("最初の投稿");
  });

  it("wherever the new text stands, there is the mark", async () => {
    const url = await tweets("Written once #draft");
    await bob.post(`${url}/like`).expect(303);
    await bob.post(`${url}/retweet`).expect(303);
    await bob.post(`${url}/bookmark`).expect(303);
    await bob.tweet(`Look ${site}${url}`);
    await world.delivered();
    const ofBob = ["/", "/@ann", "/@bob", "/@bob/likes", "/bookmarks", "/explore", url];
    // So that kept pages must follow.
    for (let turn = 0; turn < 3; turn += 1) await everywhere(bob, ofBob);
    expect((await edit(url, { text: "Rewritten #final @bob" })).status).toBe(303);
    const found = ["/tags/final", "/search?q=rewritten", "/notifications"];
    for (const { path, text } of await everywhere(bob, [...ofBob, ...found])) {
      const shown = text.match(/<(article|blockquote)(?:(?!<article)[^])*?Rewritten[^]*?<\/\1>/g);
      const marks = (shown ?? []).map((one) => /· edited <time|>Edited /.test(one));
      expect([path, [...new Set(marks)]]).toEqual([path, [true]]);
      expect([path, text.includes("Written once")]).toEqual([path, false]);
    }
    const { text: excerpt } = await ann.get("/notifications").expect(200);
    expect(excerpt).toMatch(/Rewritten #final @bob · edited/);
    expect((await bob.get("/tags/draft")).text).not.toContain("Rewritten");
    for (const ending of ["atom", "rss", "json"]) {
      const feed = await world.visitor().get(`/@ann.${ending}`).buffer(true).expect(200);
      expect(bodyOf(feed)).toMatch(/Rewritten[^]*Edited /);
    }
    const embed = await world.visitor().get(`/oembed?url=${encodeURIComponent(site + url)}`);
    expect((embed.body as { html: string }).html).toMatch(/Rewritten[^]*\(Edited /);
  });

  it("the Atom feed says when a tweet was updated, and keeps its id and date", async () => {
    await tweets("In the feed");
    const before = await world.visitor().get("/@ann.atom").buffer(true).expect(200);
    const url = `/tweets/${(await ann.see("/@ann"))[0]?.id}`;
    world.pass(2 * minute);
    await edit(url, { text: "In the feed again" });
    const after = await world.visitor().get("/@ann.atom").buffer(true).expect(200);
    const [one = "", two = ""] = [before, after].map(entryOf);
    for (const tag of ["id", "published"]) expect(part(two, tag)).toBe(part(one, tag));
    expect(part(two, "updated")).not.toBe(part(one, "updated"));
  });

  it("a refused edit shows the form with what was typed; so does one that is late or overtaken", async () => {
    const url = await tweets("Short");
    const long = "long ".repeat(80);
    const refused = await edit(url, { text: long });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(long.trim());
    expect(refused.text).toContain("at most 280 characters");

    const { text: old } = await ann.get(`${url}/edit`);
    await edit(url, { text: "From the phone" });
    const action = `${url}/edit`;
    const overtaken = await ann.post(action, { ...hiddenFields(old, action), text: "From here" });
    expect(overtaken.status).toBe(422);
    expect(overtaken.text).toContain("edited elsewhere meanwhile");
    const again = { ...hiddenFields(overtaken.text, action), text: "From here" };
    await ann.post(action, again).expect(303);

    const { text: page } = await ann.get(action);
    world.pass(60 * minute);
    const late = await ann.post(action, { ...hiddenFields(page, action), text: "Too late" });
    expect(late.status).toBe(422);
    expect(late.text).toContain(">Too late</textarea>");
    expect((await ann.get(action).expect(200)).text).toContain("is over");
    expect((await ann.get(url)).text).not.toContain(`href="${action}"`);
    expect((await ann.get(url)).text).toContain("From here");
  });

  it("other users cannot edit a tweet, nor can visitors", async () => {
    const url = await tweets("Mine");
    await bob.get(`${url}/edit`).expect(403);
    // The text comes back, as a tweet of bob's.
    await bob.post(`${url}/edit`, { text: "Yours" }).expect(422);
    const { headers } = await world.visitor().get(`${url}/edit`).expect(303);
    expect(headers["location"]).toContain("/login");
    await ann.post(`${url}/delete`).expect(303);
    await ann.get(`${url}/edit`).expect(404);
    await bob.get(`${url}/history`).expect(404);
  });

  it("mentions follow: new users are notified, users who are left out lose the notification", async () => {
    const url = await tweets("Hello @bob");
    expect((await bob.see("/notifications")).map(({ text }) => text)).toContain("Hello @bob");
    await edit(url, { text: "Hello all" });
    const left = (await bob.get("/notifications")).text;
    expect(left).not.toContain("Hello all");
    await edit(url, { text: "Hello again, @bob" });
    expect((await bob.see("/notifications")).map(({ text }) => text)).toContain(
      "Hello again, @bob",
    );
  });

  it("pictures are described anew, taken away and moved; the history shows all of them", async () => {
    const pictures = [await picture("png"), await picture("webp")];
    await send(ann, { text: "Two", pictures, descriptions: ["first", "second"] });
    await world.delivered();
    const url = `/tweets/${(await ann.see("/@ann"))[0]?.id}`;
    const both = sources((await bob.get(url)).text);
    expect(both).toHaveLength(2);
    const { text: page } = await ann.get(`${url}/edit`).expect(200);
    expect(page).toContain('value="second"');
    const [, second = ""] = [...page.matchAll(/name="uploads" value="([0-9a-f]+)"/g)].map(
      ([, id]) => id,
    );
    const form = ann.agent.post(`${url}/edit`).field("text", "One");
    for (const [name, value] of Object.entries(hiddenFields(page, `${url}/edit`)))
      form.field(name, value);
    form.field("uploads", second).field("description_2", "the only one").field("sensitive", "on");
    expect((await form).status).toBe(303);
    const { text: edited } = await bob.get(url);
    expect(sources(edited)).toEqual([both[1]]);
    expect(edited).toContain('alt="the only one"');
    expect(edited).toContain("picture-cover");
    // The job that deletes unused uploads finds that the history shows it.
    world.pass(25 * 60 * minute);
    await settleUploads();
    const { text: history } = await bob.get(`${url}/history`).expect(200);
    expect(sources(history)).toEqual([both[1], ...both]);
    expect(history).toContain('alt="second"');
    for (const src of both) await bob.get(src).expect(200);
    await ann.post(`${url}/delete`).expect(303);
    for (const src of both) await bob.get(src).expect(404);
  });

  async function settleUploads(): Promise<void> {
    const chores = world.queues.all().find(({ name }) => name === "chores");
    for (const job of (await chores?.getDelayed()) ?? [])
      if (job.name === "reconcile-upload") await job.promote();
    while ((await chores?.getJobCountByTypes("waiting", "active")) ?? 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

async function everywhere(visitor: Visitor, paths: string[]) {
  return await Promise.all(
    paths.map(async (path) => ({ path, text: (await visitor.get(path)).text })),
  );
}

/** Feeds have types of their own, which supertest leaves as bytes. */
function bodyOf({ body, text }: Response): string {
  return body instanceof Buffer ? String(body) : text;
}

function entryOf(feed: Response): string {
  return /<entry>[^]*?In the feed[^]*?<\/entry>/.exec(bodyOf(feed))?.[0] ?? "";
}

function part(xml: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>(.*?)</${tag}>`).exec(xml)?.[1];
}
