import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeResetLink } from "../../../../src/domain/accounts/reset-links.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { Authenticator } from "../../../support/actors/authenticator.ts";
import { addPasskey, turnOnApp } from "../../../support/actors/factors.ts";
import { rowsIn } from "../../../support/data/account-files.ts";
import { alertsOn, hiddenFields } from "../../../support/inspect/page.ts";
import { password, type Visitor } from "../../../support/actors/visitor.ts";
import { finishJobs } from "../../../support/world/doctor.ts";
import { linkIn, type MailServer, startMailServer } from "../../../support/world/mail-server.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const origin = "https://suzume.example";
const path = "/settings/account/mail";

const ask = (visitor: Visitor, address: string, pass = password) =>
  visitor.post(path, { address, password: pass });

describe("the mail address in the settings", () => {
  let world: World;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await startMailServer();
    const mailFrom = "site@example.org";
    world = await createWorld({ smtpUrl: mails.url, mailFrom, baseUrl: origin });
  });
  afterEach(() => mails.arrived.splice(0));
  afterAll(async () => {
    await world.close();
    await mails.close();
  });

  /** Asks for an address and opens the link in the mail, in a browser that is signed out. */
  async function confirm(visitor: Visitor, address: string): Promise<void> {
    await ask(visitor, address).expect(303);
    const link = linkIn(await mails.mailTo(address), origin);
    await world.visitor().post(link).expect(303);
    mails.arrived.splice(0);
  }

  it("a mail address is confirmed by a button behind the link in the mail, and only its owner sees it", async () => {
    const owner = await world.newcomer("owner");
    await ask(owner, "owner@example.org").expect(303);
    expect((await owner.get(path)).text).toContain("We sent a mail to owner@example.org.");
    const link = linkIn(await mails.mailTo("owner@example.org"), origin);
    const browser = world.visitor();
    for (let times = 0; times < 2; times += 1) {
      const { text } = await browser.get(link).expect(200);
      expect(text).toContain("Use owner@example.org for the account @owner?");
    }
    expect((await owner.get(path)).text).not.toContain("Your address:");
    const done = await browser.post(link).expect(303);
    expect((await browser.get(done.headers["location"] ?? "")).text).toContain("is confirmed");
    expect((await owner.get(path)).text).toContain("Your address: owner@example.org");
    expect((await browser.get(link).expect(404)).text).toContain("This link no longer works");
    await browser.post(link).expect(404);
    for (const shown of [
      "/@owner",
      "/explore",
      "/@owner.json",
      "/api/v1/accounts/lookup?acct=owner",
    ])
      expect((await world.visitor().get(shown)).text).not.toContain("owner@example.org");
    const file = await owner.get("/settings/data/export.jsonl").expect(200);
    expect(rowsIn(file.text)["mail"]).toEqual([{ address: "owner@example.org" }]);
  });

  it("a mail address without the password is refused beside the field, and comes back as typed", async () => {
    const owner = await world.newcomer("clumsy");
    const wrong = await ask(owner, "clumsy@example.org", "wrong horse 1").expect(422);
    expect(alertsOn(wrong.text)).toEqual(["That is not your current password."]);
    expect(wrong.text).toContain('value="clumsy@example.org"');
    expect(wrong.text).not.toContain("wrong horse 1");
    for (const address of [
      "clumsy",
      "a@example.org\r\nBcc: all@example.org",
      "a@example.org, b@example.org",
    ])
      expect(alertsOn((await ask(owner, address).expect(422)).text)).toEqual([
        "Please enter a mail address, such as bird@example.org.",
      ]);
    await finishJobs(world);
    expect(mails.arrived).toEqual([]);
  });

  it("a mail reports a log-in with a new browser, and only that", async () => {
    await confirm(await world.newcomer("traveller"), "traveller@example.org");
    const away = world.visitor();
    away.agent.set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0");
    await away.logIn("traveller");
    const notice = await mails.mailTo("traveller@example.org");
    expect(notice.subject).toBe("A new log-in to @traveller on Suzume");
    expect(notice.text).toContain("Firefox on Linux");
    await away.post("/logout").expect(303);
    await away.logIn("traveller");
    await world.visitor().post("/login", { name: "traveller", password: "wrong" }).expect(422);
    await finishJobs(world);
    expect(mails.arrived).toHaveLength(1);
  });

  it("a browser that changes the password is no new browser at its next log-in", async () => {
    const owner = await world.newcomer("keeper");
    await confirm(owner, "keeper@example.org");
    const change = { current_password: password, new_password: "another horse 43" };
    await owner.post("/settings/account", change).expect(303);
    await owner.post("/logout").expect(303);
    await owner
      .post("/login", { name: "keeper", password: change.new_password, next: "/" })
      .expect(303);
    await finishJobs(world);
    expect(mails.arrived.map(({ subject }) => subject)).toEqual([
      "The password of @keeper on Suzume was changed",
    ]);
  });

  it("a mail reports a new password", async () => {
    const owner = await world.newcomer("changer");
    await confirm(owner, "changer@example.org");
    const change = { current_password: password, new_password: "another horse 43" };
    await owner.post("/settings/account", change).expect(303);
    const notice = await mails.mailTo("changer@example.org");
    expect(notice.subject).toBe("The password of @changer on Suzume was changed");
    expect(linkIn(notice, origin)).toBe("/forgot");
  });

  it("a mail reports each passkey and authenticator app that comes or goes, and recovery codes made anew", async () => {
    const owner = await world.newcomer("keyholder");
    await confirm(owner, "keyholder@example.org");
    const recovery = "/settings/account/recovery";
    // The first set is offered after the sign-up.
    await owner.post(recovery).expect(200);
    const security = "/settings/security";
    const steps = [
      () => addPasskey(owner, new Authenticator(origin)),
      async () => {
        const { text } = await owner.get(security).expect(200);
        const remove = `${security}/passkeys/remove`;
        await owner.post(remove, hiddenFields(text, remove)).expect(303);
      },
      () => turnOnApp(owner, world),
      () => owner.post(`${security}/totp/remove`).expect(303),
      () => owner.post(recovery, { password }).expect(200),
    ];
    for (const step of steps) {
      await step();
      const notice = await mails.mailTo("keyholder@example.org");
      expect(notice.text).toContain(
        "a passkey, the authenticator app or recovery codes of your account",
      );
      expect(linkIn(notice, origin)).toBe("/forgot");
      await finishJobs(world);
      expect(mails.arrived).toHaveLength(1);
      mails.arrived.splice(0);
    }
  });

  it("mails report a reset link that set a password, and one that removed passkeys and app too", async () => {
    await confirm(await world.newcomer("rescued"), "rescued@example.org");
    const user = await getUserByName(world.ctx, "rescued");
    for (const [removesFactors, subjects] of [
      [false, ["The password"]],
      [true, ["The password", "The ways to log in"]],
    ] as const) {
      const { generation } = await getUserByName(world.ctx, "rescued");
      const link = await makeResetLink(world.ctx, { ...user, generation }, { removesFactors });
      await world.visitor().post(link, { new_password: `a rescued horse ${subjects.length}` });
      await finishJobs(world);
      expect(mails.arrived.map(({ subject }) => subject).toSorted()).toEqual(
        subjects.map((part) => expect.stringContaining(part)),
      );
      mails.arrived.splice(0);
    }
  });

  it("a button removes the mail address", async () => {
    const owner = await world.newcomer("leaver");
    await confirm(owner, "leaver@example.org");
    await owner.post(`${path}/remove`).expect(303);
    const { text } = await owner.get(path).expect(200);
    expect(text).not.toContain("leaver@example.org");
    expect(text).not.toContain(`action="${path}/remove"`);
  });

  it("asking for a mail gives the same answer with and without such an account", async () => {
    await confirm(await world.newcomer("known"), "known@example.org");
    const unconfirmed = await world.newcomer("waiter");
    await ask(unconfirmed, "waiter@example.org").expect(303);
    await mails.mailTo("waiter@example.org");
    mails.arrived.splice(0);
    const accounts = ["known", "KNOWN@example.org", "nobody_here", "nobody@example.org"];
    accounts.push("waiter", "waiter@example.org", "no name at all", "@");
    const answers = [];
    for (const account of accounts) {
      const { status, headers, text } = await world.visitor().post("/forgot/mail", { account });
      answers.push({ status, location: headers["location"], text });
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 303, location: "/forgot?sent" });
    const { text } = await world.visitor().get("/forgot?sent").expect(200);
    expect(text).toContain("If there is such an account with a confirmed address");
    await finishJobs(world);
    expect(mails.arrived.map(({ to }) => to)).toEqual([
      ["known@example.org"],
      ["known@example.org"],
    ]);
  });
});
