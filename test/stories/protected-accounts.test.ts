import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../src/domain/users/store.ts";
import { suspendUser } from "../../src/domain/users/suspension.ts";
import { hiddenFields, peopleOn } from "../support/inspect/page.ts";
import { notificationsOn } from "../support/inspect/notifications.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** Opens a page and presses the button that leads to `action`, with all that its form carries. */
async function press(who: Visitor, page: string, action: string): Promise<string> {
  const { text } = await who.get(page).expect(200);
  expect(text).toMatch(new RegExp(`(form)?action="${action}"`));
  const answer = await who.post(action, hiddenFields(text, action)).expect(303);
  return answer.headers["location"] ?? "";
}

const texts = async (who: Visitor, path: string) => (await who.see(path)).map(({ text }) => text);
const pageOf = async (who: Visitor, path: string) => (await who.get(path).expect(200)).text;

/** Ticks or leaves the box on the page of the settings. */
async function protect(who: Visitor, isOn: boolean): Promise<void> {
  const choices = { audience: "public", repliesFrom: "everyone", messagesFrom: "everyone" };
  const tick: Record<string, string> = isOn ? { protected: "on" } : {};
  await who.post("/settings/privacy", { ...choices, ...tick }).expect(303);
}

describe("a family with protected accounts", () => {
  let world: World;
  let mum: Visitor;
  let dad: Visitor;
  let kid: Visitor;
  let gran: Visitor;
  let stranger: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    mum = await world.newcomer("mum");
    dad = await world.newcomer("dad");
    kid = await world.newcomer("kid", "ja");
    gran = await world.newcomer("gran");
    stranger = await world.newcomer("stranger");
    await dad.follow("mum");
    await mum.tweet("Before anything was protected");
    await world.delivered();
  });
  afterAll(() => closeChecked(world));

  it("protecting an account covers its past at once, and its followers stay", async () => {
    expect(await texts(stranger, "/@mum")).toEqual(["Before anything was protected"]);
    expect(await pageOf(mum, "/settings")).toContain('href="/settings/privacy"');
    await protect(mum, true);
    const settings = await pageOf(mum, "/settings/privacy");
    expect(settings).toMatch(/name="protected"[^>]*checked/);
    for (const who of [stranger, world.visitor()]) {
      const page = await pageOf(who, "/@mum");
      expect(page).toContain("@mum protects their tweets: only followers see them.");
      expect(page).toContain("Test mum");
      expect(page).not.toContain("/@mum.rss");
      expect(page).not.toContain("Before anything was protected");
      for (const tab of ["replies", "likes"]) expect(await texts(who, `/@mum/${tab}`)).toEqual([]);
    }
    expect(await texts(dad, "/@mum")).toEqual(["Before anything was protected"]);
    expect(await texts(mum, "/@mum")).toEqual(["Before anything was protected"]);
  });

  it("a request is asked, withdrawn and asked again with one button", async () => {
    expect(await pageOf(kid, "/@mum")).toContain("フォローを申請");
    expect(await press(kid, "/@mum", "/@mum/follow")).toBe("/@mum");
    const asked = await pageOf(kid, "/@mum");
    expect(asked).toContain("承認待ち");
    expect(asked).toContain("@mumさんにフォローを申請しました。");
    await press(kid, "/@mum", "/@mum/unfollow");
    expect(await pageOf(kid, "/@mum")).toContain("フォローを申請");
    expect(peopleOn(await pageOf(mum, "/follow-requests"))).toEqual([]);
    await press(kid, "/@mum", "/@mum/follow");
    await gran.follow("mum");
    await stranger.follow("mum");
    expect(peopleOn(await pageOf(mum, "/@mum/followers"))).toEqual(["dad"]);
  });

  it("the asked user is notified, sees how many wait, accepts some and declines others", async () => {
    const [notice] = notificationsOn(await pageOf(mum, "/notifications"));
    expect(notice?.sentence).toContain("ask to follow you");
    expect(await pageOf(mum, "/")).toContain('aria-label="Follow requests, 3 waiting"');
    expect(peopleOn(await pageOf(mum, "/follow-requests"))).toEqual(["stranger", "gran", "kid"]);
    expect(await pageOf(mum, "/@kid")).toContain("@kid asks to follow you.");
    for (const name of ["kid", "gran"])
      expect(await press(mum, "/follow-requests", `/@${name}/accept`)).toBe("/follow-requests");
    await press(mum, "/follow-requests", "/@stranger/decline");
    expect(peopleOn(await pageOf(mum, "/follow-requests"))).toEqual([]);
    expect(await pageOf(mum, "/")).not.toContain("Follow requests, ");
    expect(peopleOn(await pageOf(mum, "/@mum/followers"))).toEqual(["gran", "kid", "dad"]);
    for (const who of [kid, gran])
      expect(await texts(who, "/")).toEqual(["Before anything was protected"]);
    expect(await texts(stranger, "/@mum")).toEqual([]);
    expect(await pageOf(stranger, "/@mum")).toContain("Ask to follow");
  });

  it("a request of a user who was suspended is counted and listed until it is declined", async () => {
    const troll = await world.newcomer("troll");
    await troll.follow("mum");
    await suspendUser(world.ctx, await getUserByName(world.ctx, "troll"));
    expect(await pageOf(mum, "/")).toContain('aria-label="Follow requests, 1 waiting"');
    expect(peopleOn(await pageOf(mum, "/follow-requests"))).toEqual(["troll"]);
    await press(mum, "/follow-requests", "/@troll/decline");
    expect(peopleOn(await pageOf(mum, "/follow-requests"))).toEqual([]);
    expect(await pageOf(mum, "/")).not.toContain("Follow requests, ");
  });

  it("a removed follower sees nothing from that moment", async () => {
    expect(await press(mum, "/@gran", "/@gran/remove-follower")).toBe("/@gran");
    for (const path of ["/", "/@mum"]) expect(await texts(gran, path)).toEqual([]);
    expect(peopleOn(await pageOf(mum, "/@mum/followers"))).toEqual(["kid", "dad"]);
  });

  it("those who wait are accepted when protection ends, and everyone sees the tweets again", async () => {
    await gran.follow("mum");
    await protect(mum, false);
    await expect.poll(async () => texts(gran, "/")).toEqual(["Before anything was protected"]);
    expect(await texts(world.visitor(), "/@mum")).toEqual(["Before anything was protected"]);
    expect(await pageOf(mum, "/")).not.toContain("/follow-requests");
    expect(await pageOf(mum, "/follow-requests")).toContain("Your account is not protected");
  });
});
