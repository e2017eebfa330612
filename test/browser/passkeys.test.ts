import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, secretOn, turnOnApp } from "../support/actors/factors.ts";
import { password } from "../support/actors/visitor.ts";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("passkeys in a browser", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site.close());

  /** A page with an authenticator, which says yes to everything once it `answers`. */
  const openWithAuthenticator = async (locale = "en-GB") => {
    const options = { locale, reducedMotion: "reduce" } as const;
    const { page, context, problems } = await site.openPage(undefined, options);
    const cdp = await context.newCDPSession(page);
    await cdp.send("WebAuthn.enable");
    const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return { page, problems, cdp, authenticatorId };
  };

  it("passkeys log in from the day they are added to the day they are removed", async () => {
    await site.world.newcomer("bird");
    const { page, problems, cdp, authenticatorId } = await openWithAuthenticator();
    await logIn(page, "bird");
    await page.goto("/settings/security");
    await page.getByText("You have no passkeys.").waitFor();
    await page.getByLabel("Name of the passkey").fill("My laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("Your passkey is added.").waitFor();
    await expect
      .poll(() => page.getByRole("main").innerText())
      .toMatch(/My laptop\s+Added .*Never used\./);
    expect(await findAccessibilityProblems(page, "with a passkey")).toEqual([]);
    const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
    expect(credentials).toMatchObject([{ rpId: "localhost", isResidentCredential: true }]);

    await logOut(page);
    await answering(cdp, authenticatorId, false);
    await page.goto("/login?next=/explore");
    const button = page.getByRole("button", { name: "Log in with a passkey" });
    await button.waitFor();
    expect(await findAccessibilityProblems(page, "log-in with a passkey")).toEqual([]);
    await answering(cdp, authenticatorId, true);
    await button.click();
    await page.waitForURL(`${site.url}/explore`);
    // The other way: the browser offers it in the field for the name, and the authenticator answers.
    await logOut(page);
    await page.goto("/login");
    await page.waitForURL(`${site.url}/`);

    // A while later: removing it asks again, and the passkey itself is the answer.
    site.world.pass(11 * 60_000);
    await page.goto("/settings/security");
    await page.getByText("Last used").waitFor();
    await page.getByRole("button", { name: "Remove My laptop" }).click();
    await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor();
    expect(await findAccessibilityProblems(page, "the page that asks again")).toEqual([]);
    await page.getByRole("button", { name: "Confirm with a passkey" }).click();
    await page.getByText("Your last passkey is removed.").waitFor();
    await page.getByText("You have no passkeys.").waitFor();

    await logOut(page);
    await answering(cdp, authenticatorId, false);
    await page.goto("/login");
    await answering(cdp, authenticatorId, true);
    await page.getByRole("button", { name: "Log in with a passkey" }).click();
    await page.getByText("That passkey did not work.").waitFor();
    expect(problems).toEqual([]);
  });

  it("passkeys keep what was typed when the site has to ask again", async () => {
    await site.world.newcomer("typist");
    const { page, problems } = await openWithAuthenticator();
    await logIn(page, "typist");
    await page.goto("/settings/security");
    site.world.pass(11 * 60_000);
    await page.getByLabel("Name of the passkey").fill("Typed before");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor();
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Confirm", exact: true }).click();
    await page.getByText("Please press the button again.").waitFor();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("Your passkey is added.").waitFor();
    await expect.poll(() => page.getByRole("main").innerText()).toContain("Typed before");
    expect(problems.filter((one) => !one.includes("403"))).toEqual([]);
  });

  it("passkeys are said not to work where the browser cancels", async () => {
    await site.world.newcomer("refused");
    const { page, cdp, authenticatorId } = await openWithAuthenticator("ja-JP");
    await page.goto("/login");
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await page.getByRole("button", { name: "パスキーでログイン" }).click();
    await page.getByRole("alert").getByText("うまくいかなかったか").waitFor();
  });

  it("passkeys stand beside the authenticator app: its pages are sound too", async () => {
    const owner = await site.world.newcomer("both");
    const { page, problems } = await openWithAuthenticator();
    await logIn(page, "both");
    await page.goto("/settings/security");
    await page.getByRole("button", { name: "Set up your authenticator app" }).click();
    await page.getByRole("img", { name: "QR code" }).waitFor();
    expect(await findAccessibilityProblems(page, "the key of the app")).toEqual([]);
    await turnOnApp(owner, site.world);
    await logOut(page);
    await page.goto("/login");
    await sendPassword(page, "both");
    await page.getByRole("button", { name: "Use a passkey instead" }).waitFor();
    expect(await findAccessibilityProblems(page, "the second page")).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("passkeys are not offered without JavaScript, where the authenticator app works all the same", async () => {
    await site.world.newcomer("plain");
    const options = { locale: "en-GB", javaScriptEnabled: false };
    const { page, problems } = await site.openPage(undefined, options);
    await page.goto("/login");
    await expect
      .poll(() => page.getByRole("button", { name: "Log in with a passkey" }).isVisible())
      .toBe(false);
    await logIn(page, "plain");
    await page.goto("/settings/security");
    await page.getByText("Passkeys cannot be added here").waitFor();
    await page.getByRole("button", { name: "Set up your authenticator app" }).click();
    await page.getByRole("img", { name: "QR code" }).waitFor();
    const secret = secretOn(await page.content());
    expect(secret).toHaveLength(32);
    await page.getByLabel("Code from the app").fill(await codeOf(secret, site.world.ctx.now()));
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("your password alone does not log in").waitFor();
    // That code is used.
    site.world.pass(60_000);
    await logOut(page);
    await page.goto("/login");
    await sendPassword(page, "plain");
    await page.getByRole("heading", { name: "Enter your code" }).waitFor();
    await page.getByLabel("Code").fill(await codeOf(secret, site.world.ctx.now()));
    await page.getByRole("main").getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByText("@plain").first().waitFor();
    expect(problems).toEqual([]);
  });
});

async function logIn(page: Page, name: string): Promise<void> {
  await page.goto("/login");
  await sendPassword(page, name);
  await page.getByText(`@${name}`).first().waitFor();
}

async function sendPassword(page: Page, name: string): Promise<void> {
  await page.getByLabel("Username").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("main").getByRole("button", { name: "Log in", exact: true }).click();
}

async function logOut(page: Page): Promise<void> {
  await page.locator("details.account > summary").click();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("link", { name: "Sign up" }).first().waitFor();
}

/** Whether the authenticator answers by itself: an offer in the field for the name would take it too. */
async function answering(cdp: CDPSession, authenticatorId: string, enabled: boolean) {
  await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
}
