import type { Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const accepted = "text/vnd.turbo-stream.html, text/html, application/xhtml+xml";

describe("a button pressed by the script of the site", () => {
  let world: World;
  let author: Visitor;
  let reader: Visitor;
  let path: string;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    author = await world.newcomer("author");
    reader = await world.newcomer("reader");
    await author.tweet("pressed");
    const [tweet] = await author.see("/@author");
    path = `/tweets/${tweet?.id}`;
  });
  afterAll(() => world.close());

  it.each([
    ["like", "unlike"],
    ["retweet", "unretweet"],
  ])("answers %s with the buttons as they are now, and %s undoes it", async (act, undo) => {
    const done = await press(reader, `${path}/${act}`);
    expect(done.status).toBe(200);
    expect(done.type).toBe("text/vnd.turbo-stream.html");
    expect(done.headers["vary"]).toContain("Accept");
    expect(done.headers["cache-control"]).toBe("no-store");
    expect(done.text).toContain(`targets="form.tweet-actions[action^=&quot;${path}/&quot;]"`);
    expect(done.text).toMatch(new RegExp(`formaction="${path}/${undo}"[^>]*aria-pressed="true"`));
    const undone = await press(reader, `${path}/${undo}`);
    expect(undone.text).toMatch(new RegExp(`formaction="${path}/${act}"[^>]*aria-pressed="false"`));
  });

  it("is answered with the buttons of the original where a retweet was named", async () => {
    await reader.post(`${path}/retweet`).expect(303);
    const [item] = await reader.see("/@reader");
    const { text } = await press(reader, `/tweets/${item?.id}/like`);
    expect(text).toContain(`formaction="${path}/unlike?at=${item?.id}"`);
    expect(text).toContain(`targets="#tweet-${path.slice("/tweets/".length)}.tweet-large`);
  });

  it("leads on whoever does not ask for it, and whoever is not signed in", async () => {
    for (const accept of ["text/html", "*/*", "text/html, */*;q=0.8"])
      await reader.post(`${path}/like`).set("Accept", accept).expect(303);
    const stranger = await press(world.visitor(), `${path}/like`);
    expect(stranger.status).toBe(303);
    expect(stranger.headers["location"]).toMatch(/^\/login/);
  });

  it("is refused as ever", async () => {
    expect((await press(reader, "/tweets/999999/like")).status).toBe(404);
    const foreign = await reader
      .post(`${path}/like`)
      .set({ Accept: accepted, "Sec-Fetch-Site": "cross-site" });
    expect(foreign.status).toBe(403);
  });

  it("follows in place in a list of people, and shows the whole of the person's own page", async () => {
    const inList = await press(reader, "/@author/follow", { next: "/explore?before=5" });
    expect(inList.type).toBe("text/vnd.turbo-stream.html");
    expect(inList.text).toContain(`targets="form.follow[action^=&quot;/@author/&quot;]"`);
    expect(inList.text).toContain(`action="/@author/unfollow"`);
    expect(inList.text).toContain(`name="next" value="/explore?before=5"`);
    const undone = await press(reader, "/@author/unfollow", { next: "/explore" });
    expect(undone.text).toContain(`action="/@author/follow"`);
    const onPage = await press(reader, "/@author/follow", { next: "/@author?before=5" });
    expect(onPage.status).toBe(303);
    expect(onPage.headers["location"]).toBe("/@author?before=5");
  });

  it("follows in place on the page of somebody whose name begins alike", async () => {
    await world.newcomer("author_2");
    const { type } = await press(reader, "/@author/follow", { next: "/@author_2/followers" });
    expect(type).toBe("text/vnd.turbo-stream.html");
  });
});

describe("a composer", () => {
  it("tells the script what it needs to say what the server would say", async () => {
    const world = await createWorld({}, { workers: false });
    const writer = await world.newcomer("writer");
    await writer.tweet("first");
    for (const [path, draft] of [
      ["/", "draft:writer:"],
      ["/tweets/1", "draft:writer:1"],
    ] as const) {
      const { text } = await writer.get(path).expect(200);
      const form = /<form[^>]*data-draft[^>]*>/.exec(text)?.[0];
      expect(form).toContain(`data-draft="${draft}"`);
      expect(form).toContain(`data-limit="280"`);
      expect(form).toContain(`data-empty="Please write something first."`);
      expect(form).toContain(`data-long="Tweets can have at most 280 characters."`);
      // What the server refuses, it refuses by itself.
      expect(text).not.toContain("maxlength=280");
    }
    await world.close();
  });
});

async function press(
  visitor: Visitor,
  door: string,
  fields: Record<string, string> = {},
): Promise<Response> {
  return await visitor.post(door, fields).set("Accept", accepted);
}
