import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { password } from "../support/actors/visitor.ts";

const recovery = "/settings/account/recovery";

describe("a password field", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    await site.world.newcomer("typist");
  });
  afterAll(() => site.close());

  it("a password is shown at the press of a button, by mouse and by keyboard", async () => {
    const { page, problems, close } = await site.openPage();
    await page.goto("/login");
    const field = page.getByLabel("Password");
    await field.fill("correct horse");
    await expect.poll(() => field.getAttribute("type")).toBe("password");
    await page.getByRole("button", { name: "Show password" }).click();
    await expect.poll(() => field.getAttribute("type")).toBe("text");
    await expect.poll(() => field.inputValue()).toBe("correct horse");
    await field.focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => field.getAttribute("type")).toBe("password");
    expect(new URL(page.url()).pathname).toBe("/login");
    expect(problems).toEqual([]);
    await close();
  });

  it("a shown password is hidden when its form is sent, and a refused form has one button", async () => {
    const { page, problems, close } = await site.openPage();
    await page.goto("/login");
    await page.getByLabel("Username").fill("typist");
    await page.getByLabel("Password").fill("wrong horse 1");
    await page.getByRole("button", { name: "Show password" }).click();
    const sent = page.waitForResponse((one) => one.request().method() === "POST");
    await page.getByRole("main").getByRole("button", { name: "Log in", exact: true }).click();
    expect((await sent).status()).toBe(422);
    await page.getByRole("alert").waitFor();
    await expect.poll(() => page.getByLabel("Password").getAttribute("type")).toBe("password");
    await expect.poll(() => page.getByRole("button", { name: "Show password" }).count()).toBe(1);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Show password" }).click();
    await page.getByRole("main").getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("the button that shows a password is in each form, in the page's language, and accessible", async () => {
    const { page, close } = await site.openPage("typist", {
      locale: "ja-JP",
      reducedMotion: "reduce",
    });
    await page.goto("/settings/account");
    await expect.poll(() => page.getByRole("button", { name: "パスワードを表示" }).count()).toBe(2);
    await page.getByRole("button", { name: "パスワードを表示" }).first().click();
    await expect.poll(() => page.getByRole("button", { name: "パスワードを隠す" }).count()).toBe(1);
    expect(await findAccessibilityProblems(page, "/settings/account")).toEqual([]);
    await close();
  });

  it("without JavaScript a password field has no button, and works", async () => {
    const { page, close } = await site.openPage(undefined, { javaScriptEnabled: false });
    await page.goto("/login");
    await expect.poll(() => page.locator(".password-toggle").count()).toBe(0);
    await page.getByLabel("Username").fill("typist");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("main").getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    await close();
  });
});

/** Makes a set of codes, and returns it as the page shows it. */
async function makeCodes(page: Page): Promise<string[]> {
  await page.goto(recovery);
  const field = page.getByLabel("Your password");
  if ((await field.count()) > 0) await field.fill(password);
  await page.getByRole("button", { name: "Make ten codes" }).click();
  await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
  return await page.locator(".recovery-codes code").allTextContents();
}

describe("recovery codes in a browser", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    await site.world.newcomer("saver");
  });
  afterAll(() => site.close());

  it("recovery codes can be copied, printed and downloaded", async () => {
    const { page, problems, close } = await site.openPage("saver", {
      permissions: ["clipboard-read", "clipboard-write"],
      reducedMotion: "reduce",
    });
    const codes = await makeCodes(page);
    expect(codes).toHaveLength(10);
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied.", { exact: true }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    for (const code of codes) expect(copied).toContain(code);
    await page.evaluate("window.print = () => (document.title = 'printed')");
    await page.getByRole("button", { name: "Print" }).click();
    await expect.poll(() => page.title()).toBe("printed");
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => page.locator(".recovery-codes").isVisible()).toBe(true);
    await expect.poll(() => page.locator(".secret-actions").isVisible()).toBe(false);
    await page.emulateMedia({ media: "screen" });
    const path = `${recovery} (the codes)`;
    expect(await findAccessibilityProblems(page, path)).toEqual([]);
    expect(problems).toEqual([]);
    await close();
  });

  it("recovery codes can be downloaded without JavaScript", async () => {
    const { page, close } = await site.openPage("saver", { javaScriptEnabled: false });
    const codes = await makeCodes(page);
    await expect.poll(() => page.getByRole("button", { name: "Copy" }).count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("suzume-saver.txt");
    const file = await readFile(await download.path(), "utf8");
    for (const code of codes) expect(file).toContain(code);
    await close();
  });
});
