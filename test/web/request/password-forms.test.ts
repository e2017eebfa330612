import type { PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Authenticator } from "../../support/actors/authenticator.ts";
import { addPasskey, readOptions } from "../../support/actors/factors.ts";
import { password } from "../../support/actors/visitor.ts";
import { alertsOn } from "../../support/inspect/page.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const origin = "http://localhost:3000";
/** There is no mail server: nothing is sent, as no worker runs. */
const withMail = { smtpUrl: "smtp://127.0.0.1:9", mailFrom: "site@example.org" };

describe("the password forms", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: origin, ...withMail }, { workers: false });
  });
  afterAll(() => world.close());

  const withPasskey = async (name: string) => {
    const visitor = await world.newcomer(name);
    const passkey = new Authenticator(origin);
    await addPasskey(visitor, passkey);
    const confirm = async () => {
      const options = await readOptions<PublicKeyCredentialRequestOptionsJSON>(visitor, "confirm");
      const answer = JSON.stringify(passkey.get(options));
      await visitor.post("/prove", { confirm_passkey: answer }).expect(303);
    };
    return { visitor, confirm };
  };
  const change = { new_password: "another horse 43" };

  it("the password forms ask for the password however fresh the log-in is", async () => {
    const visitor = await world.newcomer("fresh");
    const { text } = await visitor.get("/settings/account").expect(200);
    expect(text).toContain('name="current_password"');
    expect(text).not.toContain("Confirm in another way");
    const { text: refused } = await visitor.post("/settings/account", change).expect(422);
    expect(alertsOn(refused)).toEqual(["Please fill in this field."]);
    await visitor.post("/settings/account/delete", { name: "fresh" }).expect(422);
    await visitor.post("/settings/account/mail", { address: "a@example.org" }).expect(422);
  });

  it("the password forms take a mail address of a user who confirms with a passkey instead", async () => {
    const { visitor, confirm } = await withPasskey("mailer");
    const path = "/settings/account/mail";
    const address = "mailer@example.org";
    expect((await visitor.get(path)).text).toContain("Confirm in another way");
    await visitor.post(path, { address }).expect(422);
    await confirm();
    expect((await visitor.get(path)).text).not.toContain('name="password"');
    await visitor.post(path, { address }).expect(303);
    expect((await visitor.get(path)).text).toContain(`We sent a mail to ${address}.`);
  });

  it("the password forms change the password of a user who confirms with a passkey instead", async () => {
    const { visitor, confirm } = await withPasskey("forgetful");
    const { text } = await visitor.get("/settings/account").expect(200);
    expect(text).toContain('href="/prove?next=%2Fsettings%2Faccount&amp;again"');
    const asked = await visitor.get("/prove?next=%2Fsettings%2Faccount&again").expect(200);
    expect(asked.text).toContain("Confirm that it is you");
    await confirm();
    const { text: proven } = await visitor.get("/settings/account").expect(200);
    expect(proven).not.toContain('name="current_password"');
    await visitor.post("/settings/account", change).expect(303);
    await world.visitor().post("/login", { name: "forgetful", password }).expect(422);
    const fields = { name: "forgetful", password: change.new_password };
    await world.visitor().post("/login", fields).expect(303);
    // The new session is one of a log-in again.
    expect((await visitor.get("/settings/account")).text).toContain('name="current_password"');
  });

  it("the password forms delete the account of a user who confirms with a passkey instead", async () => {
    const { visitor, confirm } = await withPasskey("leaver");
    await visitor.post("/settings/account/delete", { name: "leaver" }).expect(422);
    await confirm();
    const { text } = await visitor.get("/settings/account/delete").expect(200);
    expect(text).not.toContain('name="password"');
    await visitor.post("/settings/account/delete", { name: "leaver" }).expect(303);
    await world.visitor().get("/@leaver").expect(404);
  });
});
