import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

const phone = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
  // Colours that are still changing would fail the check of contrast.
  reducedMotion: "reduce",
} as const;

describe("messages in a browser", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    for (const name of ["ann", "bob"]) await site.world.newcomer(name);
    const cat = await site.world.newcomer("cat");
    await cat.post("/language", { language: "ja" }).expect(303);
  });
  afterAll(() => site.close());

  it("a message between three people arrives while their pages are open, on a desk and a phone", async () => {
    const ann = await site.openPage("ann");
    await ann.page.goto("/messages/new");
    await ann.page.getByLabel("To", { exact: true }).fill("@bo");
    await ann.page.keyboard.press("End");
    await ann.page.keyboard.type("b");
    await ann.page.getByRole("option").click();
    await ann.page.keyboard.type("@cat");
    await ann.page.keyboard.press("Escape");
    await ann.page.getByRole("button", { name: "Next" }).click();
    await ann.page.getByLabel("Your message").fill("Shall we meet at the pond?");
    await ann.page.getByRole("button", { name: "Send" }).click();
    await ann.page.getByRole("article").filter({ hasText: "pond" }).waitFor();

    const bob = await site.openPage("bob", phone);
    await bob.page.goto("/");
    await bob.page.getByRole("link", { name: "Messages, 1 unread" }).click();
    expect(await findAccessibilityProblems(bob.page, "conversations")).toEqual([]);
    await bob.page.locator("a.conversation").click();
    await bob.page.getByRole("article").filter({ hasText: "pond" }).waitFor();
    expect(await findAccessibilityProblems(bob.page, "a conversation")).toEqual([]);
    const cat = await site.openPage("cat");
    await cat.page.goto("/");
    await cat.page.getByRole("link", { name: "メッセージ、未読1件" }).click();
    await cat.page.locator("a.conversation").click();

    await bob.page.getByLabel("Your message").fill("half a thou");
    await cat.page.getByLabel("メッセージを入力").fill("はい、正午に");
    await cat.page.getByRole("button", { name: "送信する" }).click();
    for (const { page } of [ann, bob]) {
      await page.getByRole("article").filter({ hasText: "正午" }).waitFor();
      await expect.poll(() => page.getByRole("article").count()).toBe(2);
    }
    // What is being written stays, and the message is read.
    expect(await bob.page.getByLabel("Your message").inputValue()).toBe("half a thou");
    await expect
      .poll(() =>
        bob.page.locator(".main-nav").getByRole("link", { name: "Messages", exact: true }).count(),
      )
      .toBe(1);
    for (const { problems } of [ann, bob, cat]) expect(problems).toEqual([]);
  });

  for (const known of ["A message from before", undefined])
    it(`more messages than a page shows arrive while it is hidden: after ${known ?? "none"}`, async () => {
      const { ctx } = site.world;
      const [writer, reader] = known === undefined ? ["bob", "cat"] : ["bob", "ann"];
      const { id: from } = await getUserByName(ctx, writer);
      const { id: to } = await getUserByName(ctx, reader);
      const write = (text: string) =>
        postTweet(ctx, from, { text, audience: "mentioned", people: [to] });
      if (known !== undefined) await write(known);
      const { page, problems } = await site.openPage(reader);
      await page.goto(`/messages/${[from, to].toSorted().join("-")}`);
      await page.locator("[data-live-after]").waitFor({ state: "attached" });
      await page.evaluate(hide(true));
      const texts = Array.from({ length: 60 }, (_, nth) => `Number ${nth}.`);
      for (const text of texts) await write(text);
      await page.evaluate(hide(false));
      await page.getByRole("article").filter({ hasText: "Number 59." }).waitFor();
      const shown = await page.getByRole("article").allInnerTexts();
      await page.goto((await page.locator('a[rel="next"]').getAttribute("href")) ?? "");
      shown.push(...(await page.getByRole("article").allInnerTexts()));
      const all = known === undefined ? texts : [...texts, known];
      expect(all.filter((text) => !shown.some((one) => one.includes(text)))).toEqual([]);
      expect(problems).toEqual([]);
    });
});

/** In the page: as if the user had turned to another tab, or back. */
function hide(isHidden: boolean): string {
  return `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"))`;
}
