import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionCookie, sessionIn } from "../../../support/inspect/cookies.ts";
import { password } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("the list of devices", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  async function logIn(name: string, browser: string): Promise<string> {
    const form = request(world.app).post("/login").type("form").set("User-Agent", browser);
    return sessionCookie(await form.send({ name, password }).expect(303));
  }

  const list = async (cookie: string) =>
    (await request(world.app).get("/settings/sessions").set("Cookie", cookie)).text;
  const end = (cookie: string, session: Record<string, string>) =>
    request(world.app).post("/settings/sessions").type("form").set("Cookie", cookie).send(session);

  it("the list of devices shows them without any secret", async () => {
    await world.newcomer("lister");
    const phone = await logIn("lister", "Mozilla (Android 15) Firefox/140.0");
    const laptop = await logIn("lister", `<script>alert("Linux")</script> Chrome/140`);
    const page = await list(laptop);
    expect(page).toContain("Firefox on Android");
    expect(page).toContain("Chrome on Linux");
    expect(page).not.toContain("<script>");
    expect(page).not.toContain(sessionIn(phone));
    expect(page).not.toContain(sessionIn(laptop));
  });

  it("a user can end one device, and none of others", async () => {
    await world.newcomer("owner");
    const [here, there] = [await logIn("owner", "Firefox"), await logIn("owner", "Safari")];
    await world.newcomer("stranger");
    const stranger = await logIn("stranger", "curl");
    const handles = handlesOn(await list(here));
    expect(handles).toHaveLength(2);

    for (const handle of handles) await end(stranger, { session: handle }).expect(303);
    for (const id of [sessionIn(here), sessionIn(there)])
      await end(stranger, { session: id }).expect(303);
    expect(await list(here)).toContain("Your devices");
    expect(await list(there)).toContain("Your devices");

    for (const handle of handles) await end(here, { session: handle }).expect(303);
    expect(await list(here)).toContain("Your devices");
    expect(await list(there)).not.toContain("Your devices");
    expect(await list(stranger)).toContain("Your devices");
  });
});

/** What the forms of the list send for the sessions they end. */
function handlesOn(page: string): string[] {
  return [...page.matchAll(/name="session" value="([^"]+)"/g)].map(([, handle = ""]) => handle);
}
