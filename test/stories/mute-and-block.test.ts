import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hiddenFields, peopleOn } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

const hour = 60 * 60 * 1000;

/** Opens a page and presses the button that leads to `action`, with all that its form carries. */
async function press(who: Visitor, page: string, action: string): Promise<string> {
  const { text } = await who.get(page).expect(200);
  expect(text).toMatch(new RegExp(`(form)?action="${action}"`));
  const answer = await who.post(action, hiddenFields(text, action)).expect(303);
  return answer.headers["location"] ?? "";
}

const texts = async (who: Visitor, path: string) => (await who.see(path)).map(({ text }) => text);

describe("muting and blocking", () => {
  let world: World;
  let calm: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    calm = await world.newcomer("calm");
  });
  afterAll(() => closeChecked(world));

  it("a user mutes a word for a day", async () => {
    const fan = await world.newcomer("fan");
    await calm.follow("fan");
    await fan.tweet("The Final is tonight!");
    await fan.tweet("finally dinner");
    await calm.tweet("I do not watch the final");
    await world.delivered();
    const page = (await calm.get("/settings/profile").expect(200)).text;
    expect(page).toContain('href="/settings/muted"');
    await calm.post("/settings/muted", { word: "Final", duration: "1" }).expect(303);
    const kept = ["I do not watch the final", "finally dinner"];
    for (const path of ["/", "/explore"]) expect(await texts(calm, path)).toEqual(kept);
    expect(await texts(calm, "/@fan")).toEqual(["finally dinner"]);
    expect(await texts(fan, "/@fan")).toHaveLength(2);

    world.pass(25 * hour);
    for (const path of ["/", "/explore"]) expect(await texts(calm, path)).toHaveLength(3);
    expect((await calm.get("/settings/muted")).text).not.toContain("final");
  });

  it("a user unmutes a word early", async () => {
    await calm.post("/settings/muted", { word: "dinner", duration: "30" }).expect(303);
    expect(await texts(calm, "/@fan")).toEqual(["The Final is tonight!"]);
    const back = await press(calm, "/settings/muted", "/settings/muted/remove");
    expect(back).toBe("/settings/muted");
    expect(await texts(calm, "/@fan")).toHaveLength(2);
  });

  it("a user mutes another user, and unmutes them in the settings", async () => {
    const chatty = await world.newcomer("chatty");
    await calm.follow("chatty");
    await chatty.tweet("bla");
    await world.delivered();
    expect(await texts(calm, "/")).toContain("bla");

    expect(await press(calm, "/@chatty", "/@chatty/mute")).toBe("/@chatty");
    await chatty.tweet("bla bla");
    await world.delivered();
    for (const path of ["/", "/explore"]) expect(await texts(calm, path)).toHaveLength(3);
    expect(await texts(calm, "/@chatty")).toEqual(["bla bla", "bla"]);
    expect(peopleOn((await chatty.get("/@chatty/followers")).text)).toEqual(["calm"]);

    const muted = await calm.get("/settings/muted").expect(200);
    expect(peopleOn(muted.text)).toEqual(["chatty"]);
    expect(await press(calm, "/settings/muted", "/@chatty/unmute")).toBe("/settings/muted");
    expect(await texts(calm, "/")).toEqual(expect.arrayContaining(["bla bla", "bla"]));
    expect((await calm.get("/settings/muted")).text).toContain("You have not muted anyone.");
  });

  it("a user blocks another user, who then finds nothing, and unblocks them", async () => {
    const troll = await world.newcomer("troll");
    await troll.follow("calm");
    await calm.follow("troll");
    await troll.tweet("nonsense");
    await world.delivered();
    expect(await texts(calm, "/")).toContain("nonsense");
    expect(await texts(troll, "/")).toContain("I do not watch the final");

    expect(await press(calm, "/@troll", "/@troll/block")).toBe("/@troll");
    await calm.tweet("peace at last");
    await troll.tweet("more nonsense");
    await world.delivered();
    for (const path of ["/", "/explore", "/@troll"])
      expect((await texts(calm, path)).filter((text) => text.includes("nonsense"))).toEqual([]);
    for (const path of ["/", "/explore", "/@calm"])
      expect((await texts(troll, path)).filter((text) => /peace|the final/.test(text))).toEqual([]);
    expect((await troll.get("/@calm")).text).toContain("@calm has blocked you");
    await troll.post("/@calm/follow").expect(403);
    expect(peopleOn((await calm.get("/@calm/followers")).text)).toEqual([]);
    // Others see both as ever.
    expect(await texts(world.visitor(), "/explore")).toEqual(
      expect.arrayContaining(["peace at last", "more nonsense"]),
    );

    expect(peopleOn((await calm.get("/settings/blocked")).text)).toEqual(["troll"]);
    const back = await press(calm, "/settings/blocked", "/@troll/unblock");
    expect(back).toBe("/settings/blocked");
    expect(await texts(calm, "/@troll")).toEqual(["more nonsense", "nonsense"]);
    expect(await texts(calm, "/")).not.toContain("nonsense");
    await press(calm, "/@troll", "/@troll/follow");
    await press(troll, "/@calm", "/@calm/follow");
    expect(await texts(calm, "/")).toContain("nonsense");
    expect(await texts(troll, "/")).toContain("peace at last");
  });
});
