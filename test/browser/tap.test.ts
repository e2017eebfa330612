import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("a tap on a tweet", () => {
  let site: BrowserSite;
  let quoted = "";
  beforeAll(async () => {
    site = await openSite();
    const writer = await site.world.newcomer("writer");
    await writer.tweet("Quoted words with a #tag");
    quoted = (await writer.see("/@writer"))[0]?.id ?? "";
    await site.world.newcomer("reader");
    const quoter = await site.world.newcomer("quoter");
    const text = `Words to tap ${site.url}/tweets/${quoted}`;
    const { host } = new URL(site.url);
    await quoter.post("/tweets", { text }).set("Host", host).expect(303);
  });
  afterAll(() => site.close());

  it("a tap on the words opens the tweet, and a tap on its quote the quote", async () => {
    const { page, problems } = await site.openPage("reader");
    const [id] = (await site.world.visitor().see("/@quoter")).map((one) => one.id);
    await page.goto("/@quoter");
    await page.getByText("Words to tap").click();
    await page.waitForURL(`**/tweets/${id}`);
    await page.goto("/@quoter");
    await page.getByText("Quoted words").click({ position: { x: 5, y: 5 } });
    await page.waitForURL(`**/tweets/${quoted}`);
    expect(problems).toEqual([]);
  });

  it("links, buttons and selections keep their meaning", async () => {
    const { page } = await site.openPage("reader");
    await page.goto("/@writer");
    await page.locator("article button.like").click();
    await page.locator('article button.like[aria-pressed="true"]').waitFor();
    expect(pathOf(page)).toBe("/@writer");
    const box = await page.getByText("Quoted words").boundingBox();
    if (box === null) throw new Error("no text");
    await page.mouse.move(box.x + 5, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 90, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.evaluate("getSelection().toString()")).not.toBe("");
    expect(pathOf(page)).toBe("/@writer");
    await page.getByRole("link", { name: "#tag" }).click();
    await page.waitForURL("**/tags/tag");
  });

  it("Quote opens a composer with the caret above the link", async () => {
    const { page } = await site.openPage("reader");
    await page.goto("/@writer");
    await page.locator("article a.quoting").click();
    await page.locator("#text:focus").waitFor();
    await page.keyboard.type("Indeed");
    const text = await page.locator("#text").inputValue();
    expect(text).toBe(`Indeed\n${site.url}/tweets/${quoted}`);
    await page.keyboard.press("Control+Enter");
    await page.locator("article .quote", { hasText: "Quoted words" }).first().waitFor();
  });
});

const pathOf = (page: Page) => new URL(page.url()).pathname;
