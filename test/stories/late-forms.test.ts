import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hiddenFields } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** More than a picture may have. */
const huge = Buffer.alloc(5_000_001);

describe("a form that is refused, of what is gone meanwhile", () => {
  let world: World;
  let writer: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    writer = await world.newcomer("writer");
  });
  afterAll(() => world.close());

  /** Sends a text with a picture that is refused; the text comes back in the composer of a new tweet. */
  async function sendLate(path: string, text: string): Promise<void> {
    const form = writer.agent.post(path).field("text", text);
    const page = await form.attach("pictures", huge, "huge.png").expect(422);
    expect(page.text).toMatch(new RegExp(`<textarea[^>]*>${text}`));
    expect(Object.keys(hiddenFields(page.text, "/tweets"))).toContain("nonce");
  }

  it("the text for a draft that was sent meanwhile is kept", async () => {
    const { headers } = await writer.post("/drafts", { text: "short", nonce: "one" }).expect(303);
    const path = String(headers["location"]).replace("?saved", "");
    await writer.post(`${path}/send`).expect(303);
    await sendLate(path, "longer words");
  });

  it("the text of an edit of a tweet that was deleted meanwhile is kept", async () => {
    await writer.tweet("to be edited");
    const path = `/tweets/${(await writer.see("/@writer"))[0]?.id}`;
    await writer.post(`${path}/delete`).expect(303);
    await sendLate(`${path}/edit`, "better words");
  });
});
