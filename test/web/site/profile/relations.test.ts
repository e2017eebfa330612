import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block } from "../../../../src/domain/actions/block.ts";
import { mute } from "../../../../src/domain/actions/mute.ts";
import { mutedWordId } from "../../../../src/domain/graph/muted-words.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { newPeople } from "../../../support/actors/people.ts";
import { alertsOn, olderOn, peopleOn, withoutSide } from "../../../support/inspect/page.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const blockedText = "One of you has blocked the other";

/** Each request of a test comes to a port of its own, which does not matter. */
async function pageOf(visitor: Visitor, path: string): Promise<string> {
  const { text } = await visitor.get(path).expect(200);
  return text.replaceAll(/\s+/g, " ").replaceAll(/127\.0\.0\.1:\d+/g, "here");
}

describe("muting and blocking through the site", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const idOf = async (name: string) => (await getUserByName(world.ctx, name)).id;
  async function newPair(one: string, other: string): Promise<[Visitor, Visitor]> {
    return [await world.newcomer(one), await world.newcomer(other)];
  }

  it("mute and block are offered on others' profiles to signed-in users", async () => {
    const [me] = await newPair("me", "them");
    const page = await pageOf(me, "/@them");
    for (const verb of ["mute", "block"]) expect(page).toContain(`action="/@them/${verb}"`);
    expect(await pageOf(me, "/@me")).not.toMatch(/action="[^"]*\/(mute|block)"/);
    expect(await pageOf(world.visitor(), "/@them")).not.toMatch(/action="[^"]*\/(mute|block)"/);
  });

  it("muting without an account leads to the log-in page, and then back to the profile", async () => {
    const [me] = await newPair("walker", "walked");
    for (const verb of ["mute", "unmute", "block", "unblock"]) {
      const away = await world.visitor().post(`/@walked/${verb}`).expect(303);
      expect(away.headers["location"]).toMatch(/^\/login/);
      const back = await me.post(`/@walked/${verb}`).expect(303);
      expect(back.headers["location"]).toBe("/@walked");
      const on = await me.post(`/@walked/${verb}`, { next: "/settings/muted" }).expect(303);
      expect(on.headers["location"]).toBe("/settings/muted");
      await me.post(`/@nobodyhere/${verb}`).expect(404);
    }
    for (const verb of ["mute", "block"]) await me.post(`/@walker/${verb}`).expect(422);
  });

  it("a mute is invisible to the muted user", async () => {
    const [me, them] = await newPair("quietone", "loudone");
    await them.tweet("loud");
    const before = await pageOf(them, "/@quietone");
    await me.post("/@loudone/mute").expect(303);
    expect(await pageOf(them, "/@quietone")).toBe(before);
    const profile = await pageOf(me, "/@loudone");
    expect(profile).toContain("You have muted @loudone");
    expect(profile).toContain('action="/@loudone/unmute"');
    expect(profile).toContain('action="/@loudone/follow"');
    expect(await me.see("/@loudone")).toMatchObject([{ text: "loud" }]);
    expect(await me.see("/explore")).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ author: "loudone" })]),
    );
  });

  it("a block shows only a message on both profiles, and hides tweets, lists and likes", async () => {
    const [me, them] = await newPair("blocker", "blocked_one");
    await me.tweet("by the blocker");
    await them.tweet("by the blocked");
    const [mine] = await me.see("/@blocker");
    const [theirs] = await me.see("/@blocked_one");
    await them.follow("blocker");
    await me.post("/@blocked_one/block").expect(303);

    const seen = await pageOf(me, "/@blocked_one");
    expect(seen).toContain("You have blocked @blocked_one");
    expect(seen).toContain('action="/@blocked_one/unblock"');
    const felt = await pageOf(them, "/@blocker");
    expect(felt).toContain("@blocker has blocked you");
    for (const page of [seen, felt]) {
      expect(withoutSide(page)).not.toMatch(
        /\/follow"|\/unfollow"|by the block|No tweets yet|class="counts"/,
      );
    }
    for (const list of ["followers", "followings"]) {
      const refused = await them.get(`/@blocker/${list}`).expect(403);
      expect(refused.text).toContain(blockedText);
      await me.get(`/@blocked_one/${list}`).expect(200);
      await world.visitor().get(`/@blocker/${list}`).expect(200);
    }
    await them.get(`/tweets/${mine?.id}`).expect(404);
    await me.get(`/tweets/${theirs?.id}`).expect(404);
    const refused = await them.post("/@blocker/follow").expect(403);
    expect(refused.text).toContain(blockedText);
    await me.post("/@blocked_one/follow").expect(403);
    expect(peopleOn(await pageOf(me, "/@blocker/followers"))).toEqual([]);

    await me.post("/@blocked_one/unblock").expect(303);
    expect(await them.see("/@blocker")).toMatchObject([{ text: "by the blocker" }]);
    await them.follow("blocker");
  });

  it("a block hides both users in lists of users; the unblock button is on the profile", async () => {
    const [me, them] = await newPair("lister", "listed");
    const third = await world.newcomer("third");
    await them.follow("third");
    await me.follow("third");
    await me.post("/@listed/block").expect(303);
    expect(await pageOf(me, "/@third/followers")).not.toContain("/@listed");
    expect(await pageOf(them, "/@third/followers")).not.toContain("/@lister");
    for (const path of ["/@listed", "/settings/blocked"])
      expect(await pageOf(me, path)).toContain('action="/@listed/unblock"');
    expect(await pageOf(third, "/@third/followers")).toContain('action="/@listed/follow"');
  });

  it("muted and blocked users are listed to the end, each with a button", async () => {
    const me = await world.newcomer("collector");
    const id = await idOf("collector");
    for (const other of await newPeople(world.ctx, 103)) {
      world.pass(1);
      await mute(world.ctx, { muter: id, muted: other });
      await block(world.ctx, { blocker: id, blocked: other });
    }
    for (const [list, verb] of [
      ["/settings/muted", "unmute"],
      ["/settings/blocked", "unblock"],
    ] as const) {
      const names: string[] = [];
      for (let path: string | undefined = list; path !== undefined;) {
        const { text } = await me.get(path).expect(200);
        names.push(...peopleOn(text));
        for (const name of peopleOn(text)) expect(text).toContain(`action="/@${name}/${verb}"`);
        path = olderOn(text);
      }
      expect(new Set(names).size).toBe(103);
      expect(names).toHaveLength(103);
    }
  });

  it("a refused muted word comes back as typed, with a message", async () => {
    const me = await world.newcomer("wordy");
    const long = `${"x".repeat(51)}<`;
    const refused = await me.post("/settings/muted", { word: long, duration: "7" }).expect(422);
    expect(alertsOn(refused.text)).toEqual([
      "Muted words and phrases can have at most 50 characters.",
    ]);
    expect(refused.text).toContain(`value="${"x".repeat(51)}&lt;"`);
    expect(refused.text).toMatch(/<option value="7" selected/);
    const wrong: Record<string, string>[] = [
      { word: " ", duration: "1" },
      { word: "a", duration: "2" },
      {},
    ];
    for (const fields of wrong) await me.post("/settings/muted", fields).expect(422);
    expect(await pageOf(me, "/settings/muted")).toContain("You have not muted any words.");
    await me.post("/settings/muted", { word: "<b>Bad</b>", duration: "ever" }).expect(303);
    const page = await pageOf(me, "/settings/muted");
    expect(page).toContain("&lt;b&gt;bad&lt;/b&gt;");
    expect(page).toContain("Forever");
    await me.post("/settings/muted/remove", { filter: mutedWordId("<b>bad</b>") }).expect(303);
    expect(await pageOf(me, "/settings/muted")).toContain("You have not muted any words.");
  });
});
