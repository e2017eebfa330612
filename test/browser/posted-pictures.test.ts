import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { descriptionLimit } from "../../src/domain/pictures/picture.ts";
import { picture } from "../support/data/pictures.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

const send = (page: Page) => page.locator("form.composer > button").click();
const article = (page: Page, text: string) => page.locator("article", { hasText: text }).first();
const picturesIn = (page: Page, text: string) =>
  article(page, text).locator(".pictures img:not(.picture-blur)");

describe("pictures that were sent", () => {
  let site: BrowserSite;
  let file: { name: string; mimeType: string; buffer: Buffer };
  beforeAll(async () => {
    site = await openSite();
    for (const name of ["ann", "bob"]) await site.world.newcomer(name);
    const buffer = await picture("jpeg", { width: 300, height: 200 });
    file = { name: "wall.jpg", mimeType: "image/jpeg", buffer };
  });
  afterAll(() => site.close());

  async function write(page: Page, text: string) {
    await page.locator(".composer-pictures summary").click();
    await page.locator("#pictures").setInputFiles([file]);
    // The script for pictures has arrived.
    await page.locator(".field[hidden] #description_2").waitFor({ state: "attached" });
    await page.fill("#text", text);
  }

  for (const path of ["/", "/messages/1-2"])
    it(`a picture is not sent again with the next text: ${path}`, async () => {
      const { page, problems } = await site.openPage("ann");
      await page.goto(path);
      await write(page, "With a wall");
      await send(page);
      await expect.poll(() => picturesIn(page, "With a wall").count()).toBe(1);
      await page.fill("#text", "Without one");
      await send(page);
      await article(page, "Without one").waitFor();
      expect(await picturesIn(page, "Without one").count()).toBe(0);
      // No text and no picture: nothing is sent.
      await send(page);
      await page.locator("#text-error").waitFor();
      expect(problems).toEqual([]);
    });

  it("a refused form that is sent again has its picture once", async () => {
    const { page, problems } = await site.openPage("ann");
    await page.goto("/");
    await write(page, "Described at length");
    await page.fill("#description_1", "x".repeat(descriptionLimit + 1));
    await send(page);
    await page.locator("#description_1-error").waitFor();
    await page.fill("#description_1", "In short");
    await send(page);
    await article(page, "Described at length").waitFor();
    expect(await picturesIn(page, "Described at length").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("a picture that could not be sent stays chosen", async () => {
    const { page } = await site.openPage("ann");
    await page.goto("/");
    await write(page, "In the end");
    for (const status of [503, 413, undefined]) {
      await page.route("**/tweets", (route) =>
        status === undefined ? route.abort() : route.fulfill({ status }),
      );
      await send(page);
      await page.locator(".unsent").waitFor();
      await page.unroute("**/tweets");
    }
    await send(page);
    await expect.poll(() => picturesIn(page, "In the end").count()).toBe(1);
  });
});
