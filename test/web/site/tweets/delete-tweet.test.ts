import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hiddenFields } from "../../../support/inspect/page.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const stream = "text/vnd.turbo-stream.html, text/html";

describe("deleting a tweet", () => {
  let world: World;
  let ann: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    ann = await world.newcomer("ann");
  });
  afterAll(() => world.close());

  /** A new tweet of ann, by its id. */
  async function written(): Promise<string> {
    await ann.tweet(`Tweet ${Math.random()}`);
    return (await ann.see("/@ann"))[0]?.id ?? "";
  }

  it("the menu link of a list leads back to that list, also if the page was kept before", async () => {
    const id = await written();
    for (const path of [`/tweets/${id}`, `/tweets/${id}?menu`]) await ann.get(path).expect(200);
    for (const list of ["/explore?before=9999999999999999", "/@ann/replies"]) {
      const { text } = await ann.get(`/tweets/${id}?menu`).set(from(list)).expect(200);
      expect(hiddenFields(text, `/tweets/${id}/delete`)["next"]).toBe(list);
    }
    const direct = await ann.get(`/tweets/${id}?menu`).expect(200);
    expect(hiddenFields(direct.text, `/tweets/${id}/delete`)["next"]).toBe("/@ann");
    const fields = { next: "/explore?before=9999999999999999" };
    const { headers } = await ann.post(`/tweets/${id}/delete`, fields).expect(303);
    expect(headers["location"]).toBe(`${fields.next}#deleted`);
  });

  it("another site as the page before leads to no other site", async () => {
    const id = await written();
    const headers = { Host: "site.test", Referer: "https://evil.example/x" };
    const { text } = await ann.get(`/tweets/${id}?menu`).set(headers).expect(200);
    expect(hiddenFields(text, `/tweets/${id}/delete`)["next"]).toBe("/@ann");
  });

  it("the script removes a tweet of a list in place, and leaves the tweet's own page", async () => {
    const [one, other] = [await written(), await written()];
    const listed = ann.post(`/tweets/${one}/delete`).set({ ...from("/"), Accept: stream });
    const { text } = await listed.expect(200);
    expect(text).toContain('action="remove"');
    expect(text).toContain(`/tweets/${one}/`);
    const path = `/tweets/${other}`;
    const own = ann.post(`${path}/delete`, { next: "/@ann" });
    await own.set({ ...from(`${path}?menu`), Accept: stream }).expect(303);
  });
});

/** Headers of a browser that comes from this page. */
function from(path: string): Record<string, string> {
  return { Host: "site.test", Referer: `http://site.test${path}` };
}
