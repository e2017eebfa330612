import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Key, readLanguages } from "../../src/web/languages/translator.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

const phone = { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true };
const names = ["mum", "dad", "kid", "gran"] as const;
const modes = [
  { how: "with JavaScript", javaScriptEnabled: true, locale: "en-GB" },
  { how: "without JavaScript, in Japanese", javaScriptEnabled: false, locale: "ja-JP" },
];

describe("a family of four with protected accounts, in a browser", () => {
  let site: BrowserSite;
  let family: Record<(typeof names)[number], Visitor>;
  let uncle: Visitor;
  beforeAll(async () => {
    site = await openSite();
    const newcomers = names.map(async (name) => [name, await site.world.newcomer(name)] as const);
    family = Object.fromEntries(await Promise.all(newcomers)) as typeof family;
    uncle = await site.world.newcomer("uncle");
    for (const member of Object.values(family)) await protect(member);
    for (const member of Object.values(family))
      for (const name of names.filter((other) => other !== member.name)) {
        await member.follow(name);
        await family[name].post(`/@${member.name}/accept`).expect(303);
      }
  });
  afterAll(() => site.close());

  for (const { how, ...mode } of modes)
    it(`what one writes reaches the other three, and a stranger who asks is declined, ${how}`, async () => {
      const words = readLanguages().words(mode.locale.slice(0, 2));
      const said = `Supper is ready ${how}`;
      const stranger = `stranger${Number(mode.javaScriptEnabled)}`;
      await site.world.newcomer(stranger);
      const open = (name: string, device = {}) => site.openPage(name, { ...device, ...mode });
      const kid = await open("kid", phone);
      await kid.page.goto("/");
      await kid.page.getByLabel(words.t("compose.tweetPrompt")).fill(said);
      await kid.page.locator("form.composer > button").click();
      await kid.page.getByRole("article").filter({ hasText: said }).waitFor();
      await site.world.delivered();
      for (const [name, device] of [
        ["mum", {}],
        ["dad", phone],
        ["gran", {}],
      ] as const) {
        const { page, problems, close } = await open(name, device);
        await page.goto("/");
        await page.getByRole("article").filter({ hasText: said }).waitFor();
        expect(problems).toEqual([]);
        await close();
      }

      const outside = await open(stranger);
      const follow = (label: Key) =>
        outside.page.locator(".profile").getByRole("button", { name: words.t(label) });
      await outside.page.goto("/@kid");
      await outside.page.getByText(words.t("profile.locked", { name: "kid" })).waitFor();
      await follow("person.ask").click();
      await follow("person.requested").waitFor();
      await kid.page.goto("/notifications");
      await kid.page.getByRole("link", { name: words.t("requests.answer") }).click();
      const decline = `${words.t("requests.decline")} @${stranger}`;
      await kid.page.getByRole("button", { name: decline }).click();
      await kid.page.getByText(words.t("requests.none")).waitFor();
      await outside.page.reload();
      await follow("person.ask").waitFor();
      expect(await outside.page.getByText(said).count()).toBe(0);
      expect([...kid.problems, ...outside.problems]).toEqual([]);
      await kid.close();
      await outside.close();
    });

  it("the open pages of a removed follower hear nothing more, and show nothing when loaded again", async () => {
    await family.mum.tweet("A question for the family");
    await site.world.delivered();
    const [question] = await family.mum.see("/@mum");
    const home = await site.openPage("gran");
    const thread = await site.openPage("gran", phone);
    await home.page.goto("/");
    await thread.page.goto(`/tweets/${question?.id}`);
    for (const { page } of [home, thread])
      await page.locator("[data-live-after]").waitFor({ state: "attached" });
    await family.mum.post("/@gran/remove-follower").expect(303);
    await family.mum.tweet("Not for gran");
    await family.mum.post("/tweets", { text: "My own answer", reply_to: question?.id ?? "" });
    await family.dad.tweet("@gran are you there?");
    await site.world.delivered();

    // What came last is heard, so what came before has been left out.
    for (const { page } of [home, thread]) await page.locator(".main-nav-badge").first().waitFor();
    const pill = home.page.locator("a.live-pill");
    await expect.poll(() => pill.textContent()).toContain("1 new tweet");
    expect(await thread.page.locator("a.live-pill").count()).toBe(0);
    await pill.click();
    await home.page.getByRole("article").filter({ hasText: "are you there?" }).waitFor();
    expect(await home.page.getByText("Not for gran").count()).toBe(0);
    const answer = await thread.page.reload();
    expect(answer?.status()).toBe(404);
    await home.page.goto("/@mum");
    await home.page.getByText("@mum protects their tweets").waitFor();
    expect(await home.page.getByText("A question for the family").count()).toBe(0);
    expect([...home.problems, ...thread.problems]).toEqual([]);
  });

  for (const { how, ...mode } of modes)
    it(`a public reply to a protected tweet tells nothing of it, ${how}`, async () => {
      const words = readLanguages().words(mode.locale.slice(0, 2));
      const friend = await site.world.newcomer(`friend${Number(mode.javaScriptEnabled)}`);
      await friend.tweet("My garden at home");
      const [garden] = await friend.see(`/@${friend.name}`);
      await uncle.post("/tweets", { text: "How green it is", reply_to: garden?.id ?? "" });
      const [reply] = await uncle.see("/@uncle/replies");
      await protect(friend);
      const { page, problems, close } = await site.openPage(undefined, { ...phone, ...mode });
      await page.goto(`/tweets/${reply?.id}`);
      await page.getByRole("main").getByText(words.t("thread.hidden")).waitFor();
      await page.getByText(words.t("tweet.replyingToHidden")).waitFor();
      const shown = await page.getByRole("main").innerText();
      expect(shown).toContain("How green it is");
      expect(shown).not.toMatch(/garden|friend/);
      expect(problems).toEqual([]);
      await close();
    });
});

async function protect(member: Visitor): Promise<void> {
  const choices = { audience: "public", repliesFrom: "everyone", messagesFrom: "everyone" };
  await member.post("/settings/privacy", { ...choices, protected: "on" }).expect(303);
}
