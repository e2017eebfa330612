import type { Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const accepted = "text/vnd.turbo-stream.html, text/html, application/xhtml+xml";

describe("buttons of the script", () => {
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
  ])("a button answers %s with the current buttons, and %s undoes it", async (act, undo) => {
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

  it("a button of a retweet answers with the original's buttons", async () => {
    await reader.post(`${path}/retweet`).expect(303);
    const [item] = await reader.see("/@reader");
    const { text } = await press(reader, `/tweets/${item?.id}/like`);
    expect(text).toContain(`formaction="${path}/unlike?at=${item?.id}"`);
    expect(text).toContain(`targets="#tweet-${path.slice("/tweets/".length)}.tweet-large`);
  });

  it("a button redirects clients without streams and visitors", async () => {
    for (const accept of ["text/html", "*/*", "text/html, */*;q=0.8"])
      await reader.post(`${path}/like`).set("Accept", accept).expect(303);
    const stranger = await press(world.visitor(), `${path}/like`);
    expect(stranger.status).toBe(303);
    expect(stranger.headers["location"]).toMatch(/^\/login/);
  });

  it("a refused button answers as ever", async () => {
    expect((await press(reader, "/tweets/999999/like")).status).toBe(404);
    const foreign = await reader
      .post(`${path}/like`)
      .set({ Accept: accepted, "Sec-Fetch-Site": "cross-site" });
    expect(foreign.status).toBe(403);
  });

  it("a follow button works in place in a list, and renews the whole profile page", async () => {
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

  it("a follow button works in place for users whose names begin alike", async () => {
    await world.newcomer("author_2");
    const { type } = await press(reader, "/@author/follow", { next: "/@author_2/followers" });
    expect(type).toBe("text/vnd.turbo-stream.html");
  });
});

describe("a composer", () => {
  it("the composer tells the script the server's limits", async () => {
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
