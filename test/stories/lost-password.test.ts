import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { linkIn, type MailServer, startMailServer } from "../support/world/mail-server.ts";
import { runAdmin } from "../support/world/admin-process.ts";
import { createWorld, type World } from "../support/world/world.ts";

const origin = "https://suzume.example";
const fresh = "a rescued horse 44";

describe("a lost password", () => {
  let world: World;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await startMailServer();
    world = await createWorld({
      admins: ["keeper"],
      smtpUrl: mails.url,
      mailFrom: "Suzume <site@example.org>",
      baseUrl: origin,
    });
  });
  afterAll(async () => {
    await closeChecked(world);
    await mails.close();
  });

  /** With the link in a new browser: a new password, the old devices logged out, and home again. */
  async function setPassword(name: string, link: string, oldDevice: Visitor): Promise<void> {
    expect(link).toMatch(/^\/reset\//);
    const browser = world.visitor();
    await browser.get(link).expect(200);
    const done = await browser.post(link, { new_password: fresh }).expect(303);
    await browser.get(done.headers["location"] ?? "").expect(200);
    await browser.post("/login", { name, password: fresh, next: "/" }).expect(303);
    await browser.tweet(`${name} is back`);
    expect((await browser.see(`/@${name}`)).map(({ text }) => text)).toContain(`${name} is back`);
    await oldDevice.get("/settings/profile").expect(303);
    await world.visitor().post("/login", { name, password }).expect(422);
    await world.visitor().post(link, { new_password: "a thief's horse 45" }).expect(404);
  }

  it("an account is recovered with a recovery code from the sign-up", async () => {
    const owner = world.visitor();
    const form = { name: "coder", fullname: "Coder", password };
    const offer = (await owner.post("/signup", form).expect(303)).headers["location"] ?? "";
    const page = (await owner.get(offer).expect(200)).text;
    const action = "/settings/account/recovery";
    const { text } = await owner.post(action, hiddenFields(page, action)).expect(200);
    const [, code = ""] = /<code>([\da-z-]{19})<\/code>/.exec(text) ?? [];
    const browser = world.visitor();
    const asked = browser.post("/forgot/code", { name: "coder", recovery_code: code });
    await setPassword("coder", (await asked.expect(303)).headers["location"] ?? "", owner);
    await browser.post("/forgot/code", { name: "coder", recovery_code: code }).expect(422);
  });

  it("an account is recovered by mail to its address, and its owner is told afterwards", async () => {
    const owner = await world.newcomer("mailer", "ja");
    const address = "mailer@example.org";
    await owner.post("/settings/account/mail", { address, password }).expect(303);
    const confirmation = await mails.mailTo(address);
    expect(confirmation.subject).toBe("Suzume：メールアドレスの確認");
    await world.visitor().post(linkIn(confirmation, origin)).expect(303);
    await world.visitor().post("/forgot/mail", { account: "Mailer@Example.org" }).expect(303);
    await setPassword("mailer", linkIn(await mails.mailTo(address, 2), origin), owner);
    expect((await mails.mailTo(address, 3)).subject).toBe(
      "Suzume：@mailerのパスワードが変更されました",
    );
  });

  it("an account is recovered by a link from an admin", async () => {
    const owner = await world.newcomer("friend");
    const keeper = await world.newcomer("keeper");
    const page = (await keeper.get("/admin/reset").expect(200)).text;
    const fields = { ...hiddenFields(page, "/admin/reset"), name: "friend", note: "At the door" };
    const { text } = await keeper.post("/admin/reset", fields).expect(200);
    const [, url = ""] = /<code id="reset-link">([^<]*)</.exec(text) ?? [];
    expect(url.startsWith(`${origin}/reset/`)).toBe(true);
    await setPassword("friend", url.slice(origin.length), owner);
    expect((await keeper.get("/admin/audit")).text).toContain("At the door");
  });

  it("an account is recovered from the shell while the site runs, also an admin's", async () => {
    const owner = world.visitor();
    await owner.logIn("keeper");
    // As the start of a site does.
    await migrate(world.ctx);
    const { code, output } = await runAdmin(["reset-password", "@Keeper"], { BASE_URL: origin });
    expect([code, output.trim().split("\n").length]).toEqual([0, 1]);
    await setPassword("keeper", output.trim().slice(origin.length), owner);
  });
});
