import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestApp } from "../support/actors/test-app.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { password } from "../support/actors/visitor.ts";

describe("authorizing an app in a browser", () => {
  let site: BrowserSite;
  /** The app's own site, which is another one. */
  let theirs: Server;
  let redirectUri: string;
  beforeAll(async () => {
    site = await openSite();
    await site.world.newcomer("bird");
    theirs = createServer((_req, res) => {
      res.setHeader("Content-Type", "text/html");
      res.end("<!doctype html><link rel=icon href=data:,><title>App</title><h1>Welcome back</h1>");
    });
    await new Promise<void>((resolve) => theirs.listen(0, "127.0.0.1", resolve));
    redirectUri = `http://127.0.0.1:${(theirs.address() as AddressInfo).port}/callback`;
  });
  afterAll(async () => {
    theirs.close();
    await site.close();
  });

  for (const [name, javaScriptEnabled] of [
    ["with", true],
    ["without", false],
  ] as const)
    it(`authorizing an app leads over the log-in page to the app ${name} JavaScript`, async () => {
      const app = await TestApp.register(site.world, { redirect_uris: redirectUri });
      const { page, problems } = await site.openPage(undefined, { javaScriptEnabled });
      for (const [button, answer] of [
        ["Deny", "error=access_denied"],
        ["Authorize", "code="],
      ] as const) {
        await page.goto(app.address());
        if (button === "Deny") await logIn(page);
        await page.getByRole("button", { name: button }).click();
        await page.getByRole("heading", { name: "Welcome back" }).waitFor();
        expect(page.url()).toContain(`${redirectUri}?${answer}`);
      }
      const code = new URL(page.url()).searchParams.get("code") ?? "";
      expect((await app.exchange(code)).status).toBe(200);
      expect(problems).toEqual([]);
    });

  it("the user can switch accounts before authorizing an app", async () => {
    await site.world.newcomer("other");
    const app = await TestApp.register(site.world, { redirect_uris: redirectUri });
    const { page, problems } = await site.openPage("other");
    await page.goto(app.address());
    await page.getByText("@other").first().waitFor();
    await page.getByRole("link", { name: "Log in with another account" }).click();
    await logIn(page);
    await expect.poll(() => page.getByRole("main").innerText()).toContain("@bird");
    await page.getByRole("button", { name: "Authorize" }).click();
    await page.getByRole("heading", { name: "Welcome back" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("the authorization form leads to an app on the device, and to no other address", async () => {
    const app = await TestApp.register(site.world, { redirect_uris: "birdwatch://callback" });
    const { page, problems } = await site.openPage("bird");
    await page.goto(app.address());
    const answered = page.waitForResponse((one) => one.request().method() === "POST");
    await page.getByRole("button", { name: "Authorize" }).click();
    const { location } = (await answered).headers();
    expect(location).toMatch(/^birdwatch:\/\/callback\?code=/);
    await page.waitForTimeout(200);
    expect(problems.filter((one) => one.includes("Content Security Policy"))).toEqual([]);

    await page.goto(app.address());
    const refused = await page.evaluate(`new Promise((resolve) => {
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
        resolve([violatedDirective, blockedURI]));
      const form = document.querySelector("main form");
      form.action = ${JSON.stringify(redirectUri)};
      form.submit();
    })`);
    expect(refused).toEqual(["form-action", redirectUri]);
  });
});

async function logIn(page: Page): Promise<void> {
  await page.getByLabel("Username").fill("bird");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("main").getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByRole("heading", { name: "Authorize" }).waitFor();
}
