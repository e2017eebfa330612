import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { password } from "../support/actors/visitor.ts";
import { runAdmin } from "../support/world/admin-process.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { type MailServer, startMailServer } from "../support/world/mail-server.ts";
import { logIn, logOut, signUp } from "./steps.ts";

/** Tweets that an account may write here. */
const tweetLimit = 3;

describe("a community in a browser", () => {
  let site: BrowserSite;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await startMailServer();
    const limits = { "tweets:account": tweetLimit };
    site = await openSite({ limits, smtpUrl: mails.url, mailFrom: "site@example.org" });
    await site.world.newcomer("keeper");
    // As the start of a site does.
    await migrate(site.world.ctx);
    expect((await runAdmin(["make-admin", "keeper"])).code).toBe(0);
  });
  afterAll(async () => {
    await site.close();
    await mails.close();
  });

  for (const [mode, javaScriptEnabled] of [
    ["with", true],
    ["without", false],
  ] as const) {
    const open = async (name?: string) => await site.openPage(name, { javaScriptEnabled });

    it(`a lost password is rescued in each of the four ways ${mode} JavaScript`, async () => {
      const [name, address] = [`loser_${mode}`, `loser_${mode}@example.org`];
      const { page, problems } = await open();
      await signUp(page, name);
      await page.getByRole("link", { name: "Recovery codes, in case" }).click();
      await page.getByRole("button", { name: "Make ten codes" }).click();
      const code = await page.locator(".recovery-codes code").first().innerText();
      await page.getByRole("link", { name: "I have saved them" }).click();
      await logOut(page);
      await confirmMail(name, address);

      await page.goto("/forgot");
      await page.getByLabel("Username", { exact: true }).fill(name);
      await page.getByLabel("Recovery code", { exact: true }).fill(code);
      await page.getByRole("button", { name: "Continue" }).click();
      await choosePassword(page, name, "a rescued horse 1");

      await page.goto("/forgot");
      await page.getByLabel("Username or mail address").fill(address);
      await page.getByRole("button", { name: "Send the link" }).click();
      await page.getByRole("status").getByText("a mail is on its way").waitFor();
      await page.goto(await mailedPath(address, "/reset/"));
      await choosePassword(page, name, "a rescued horse 2");

      const keeper = await open("keeper");
      // Logged in a while ago: the site asks again.
      site.world.pass(11 * 60_000);
      await keeper.page.goto("/admin/reset");
      await keeper.page.getByLabel("Username").fill(name);
      await keeper.page.getByRole("button", { name: "Make a link" }).click();
      await keeper.page.getByLabel("Password").fill(password);
      await keeper.page.getByRole("button", { name: "Confirm", exact: true }).click();
      await page.goto(new URL(await keeper.page.locator("#reset-link").innerText()).pathname);
      await choosePassword(page, name, "a rescued horse 3");

      const { output } = await runAdmin(["reset-password", name]);
      await page.goto(new URL(output.trim()).pathname);
      await choosePassword(page, name, "a rescued horse 4");
      expect([...problems, ...keeper.problems]).toEqual([]);
    });

    it(`a flood ends at a form that says when to try again and keeps the text, ${mode} JavaScript`, async () => {
      const flooder = await site.world.newcomer(`flooder_${mode}`);
      await site.world.newcomer(`calm_${mode}`);
      const { page, problems } = await open(`flooder_${mode}`);
      for (let nth = 0; nth < tweetLimit; nth += 1) await flooder.tweet(`flood ${nth}`);
      await page.goto("/");
      await writeTweet(page, "One more");
      await page.getByRole("alert").getByText("Try again in").first().waitFor();
      await expect.poll(() => composer(page).locator("textarea").inputValue()).toBe("One more");
      const calm = await open(`calm_${mode}`);
      await calm.page.goto("/");
      await writeTweet(calm.page, `Undisturbed ${mode}`);
      await calm.page
        .locator("article", { hasText: `Undisturbed ${mode}` })
        .first()
        .waitFor();
      expect(problems.filter((one) => !one.includes("429"))).toEqual([]);
    });

    it(`a closed club from nothing: invite, approve, members only, and a report and back, ${mode} JavaScript`, async () => {
      const keeper = await open("keeper");
      await decide(keeper.page, "People with an invitation", "Only members who are logged in");
      await keeper.page.goto("/settings/invitations");
      await keeper.page.getByRole("button", { name: "Create link" }).click();
      const link = await keeper.page.getByLabel("Invitation link").inputValue();

      const guest = await open();
      await guest.page.goto("/@keeper");
      expect(new URL(guest.page.url()).pathname).toBe("/login");
      await guest.page.goto("/signup");
      await guest.page.getByText("You need an invitation").waitFor();
      await guest.page.goto(`/signup${new URL(link).search}`);
      await signUp(guest.page, `guest_${mode}`);
      await guest.page.getByRole("heading", { name: "A picture and a line" }).waitFor();
      await guest.page.goto("/");
      await guest.page.getByRole("heading", { name: "Home", level: 1 }).waitFor();

      await decide(
        keeper.page,
        "People whose request an admin accepts, or with an invitation",
        "Only members who are logged in",
      );
      const applicant = await open();
      await applicant.page.goto("/signup");
      await applicant.page.getByLabel("Why would you like to join?").fill("I grow beans.");
      await signUp(applicant.page, `beans_${mode}`, "Ask to join");
      await applicant.page.getByRole("heading", { name: "Your request was sent" }).waitFor();
      await keeper.page.goto("/admin/requests");
      await keeper.page.getByLabel("Note to the applicant").fill("Not yet");
      await keeper.page.keyboard.press("Enter");
      await keeper.page.getByRole("button", { name: `Accept @beans_${mode}` }).click();
      await keeper.page.getByText("No requests are waiting").waitFor();
      await logIn(applicant.page, `beans_${mode}`);
      await writeTweet(applicant.page, `Buy my beans ${mode}`);
      await applicant.page.locator("article", { hasText: "Buy my beans" }).first().waitFor();

      await keeper.page.goto("/");
      await report(guest.page, `beans_${mode}`);
      // An open page is told; without a script the next page tells.
      if (!javaScriptEnabled) await keeper.page.reload();
      const badge = keeper.page.getByRole("img", { name: "Moderation, 1 waiting for a decision" });
      await badge.waitFor();
      await keeper.page.goto("/admin/reports");
      await keeper.page.getByRole("button", { name: "Remove tweet" }).click();
      await keeper.page.getByText("No reports are waiting").waitFor();
      await expect.poll(() => badge.count()).toBe(0);
      await guest.page.goto(`/@beans_${mode}`);
      await expect
        .poll(() => guest.page.getByRole("main").innerText())
        .not.toContain("Buy my beans");

      await decide(keeper.page, "Anyone", "Anyone", "");
      for (const { problems } of [keeper, guest, applicant]) expect(problems).toEqual([]);
    });
  }

  /** Confirms an address for mails, as its owner does. */
  async function confirmMail(name: string, address: string): Promise<void> {
    const owner = site.world.visitor();
    await owner.logIn(name);
    await owner.post("/settings/account/mail", { address, password }).expect(303);
    await owner.post(await mailedPath(address, "/confirm/")).expect(303);
  }

  /** Path of the link in a mail to an address that begins with `start`. */
  async function mailedPath(address: string, start: string): Promise<string> {
    const find = () =>
      mails.arrived
        .filter(({ to }) => to.includes(address))
        .map(({ text }) => new URL(/https?:\S+/.exec(text)?.[0] ?? site.url).pathname)
        .find((path) => path.startsWith(start)) ?? "";
    await expect.poll(find, { timeout: 15_000 }).not.toBe("");
    return find();
  }
});

/** On the page that a link or a code leads to. Logs in with the new password, and out again. */
async function choosePassword(page: Page, name: string, next: string): Promise<void> {
  await page.getByLabel("New password").fill(next);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("main").getByRole("button", { name: "Log in", exact: true }).waitFor();
  await logIn(page, name, next);
  await logOut(page);
}

/** An admin decides who may sign up and who may read. */
async function decide(
  page: Page,
  signsUp: string,
  reads: string,
  rules = "Be kind.\nNo ads.",
): Promise<void> {
  await page.goto("/admin/site");
  await page
    .getByRole("group", { name: "Who may sign up" })
    .getByLabel(signsUp, { exact: true })
    .check();
  await page
    .getByRole("group", { name: "Who may read" })
    .getByLabel(reads, { exact: true })
    .check();
  await page.getByLabel("Rules", { exact: true }).fill(rules);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The settings are saved.").waitFor();
}

const composer = (page: Page) => page.locator('main form[action="/tweets"]');

async function writeTweet(page: Page, text: string): Promise<void> {
  await composer(page).locator("textarea").fill(text);
  await composer(page).getByRole("button", { name: "Tweet" }).click();
}

/** Reports the newest tweet of an author. */
async function report(page: Page, author: string): Promise<void> {
  await page.goto(`/@${author}`);
  const id = await page.locator("article").first().getAttribute("data-tweet-id");
  await page.goto(`/tweets/${id}/report`);
  await page.getByLabel("Spam").check();
  await page.getByRole("main").getByRole("button", { name: "Report" }).click();
  await page.getByText("Your report has arrived.").waitFor();
}
