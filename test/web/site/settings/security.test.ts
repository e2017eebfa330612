import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/server";
import { Authenticator } from "../../../support/actors/authenticator.ts";
import {
  addPasskey,
  codeOf,
  logInWithPasskey,
  readOptions,
  secretOn,
  turnOnApp,
} from "../../../support/actors/factors.ts";
import { password, type Visitor } from "../../../support/actors/visitor.ts";
import { alertsOn, hiddenFields } from "../../../support/inspect/page.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const origin = "http://localhost:3000";
const page = "/settings/security";

const isIn = async (visitor: Visitor) => (await visitor.get("/settings/profile")).status === 200;
const removeOn = (html: string) => hiddenFields(html, `${page}/passkeys/remove`);

describe("the security settings", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: origin }, { workers: false });
  });
  afterAll(() => world.close());

  it("the security settings need a signed-in user", async () => {
    const stranger = world.visitor();
    for (const path of [page, `${page}/totp`])
      expect((await stranger.get(path)).headers["location"]).toMatch(/^\/login\?next=/);
    for (const path of [`${page}/passkeys`, `${page}/totp/start`, `${page}/totp/remove`])
      expect((await stranger.post(path)).headers["location"]).toMatch(/^\/login\?next=/);
    for (const act of ["add", "confirm"])
      expect((await stranger.post("/passkeys/options", { act })).status).toBe(303);
  });

  it("the security settings list passkeys by name with their dates, and remove them", async () => {
    const owner = await world.newcomer("lister");
    const [phone, key] = [new Authenticator(origin), new Authenticator(origin)];
    const added = await addPasskey(owner, phone, " My <b>phone</b> ");
    expect(added.headers["location"]).toBe(`${page}?added`);
    await addPasskey(owner, key, "");
    const { text: before } = await owner.get(page).expect(200);
    expect(before).toContain("My &lt;b&gt;phone&lt;/b&gt;</bdi>");
    expect(before).toContain("Unknown browser</bdi>");
    expect(before.match(/Never used/g)).toHaveLength(2);
    expect((await logInWithPasskey(world.visitor(), phone)).status).toBe(303);
    const { text } = await owner.get(page).expect(200);
    expect(text.match(/Added <time/g)).toHaveLength(2);
    expect(text.match(/Last used <time/g)).toHaveLength(1);

    const removed = await owner.post(`${page}/passkeys/remove`, removeOn(text)).expect(303);
    expect(removed.headers["location"]).toBe(`${page}?removed`);
    const visitor = world.visitor();
    const refused = await logInWithPasskey(visitor, phone);
    expect(refused.status).toBe(422);
    expect(alertsOn(refused.text)).toEqual(["That passkey did not work. Please try again."]);
    expect(await isIn(visitor)).toBe(false);
    expect((await logInWithPasskey(visitor, key)).status).toBe(303);
    expect(await isIn(visitor)).toBe(true);
  });

  it("the security settings say plainly what is left once the last passkey is gone", async () => {
    const owner = await world.newcomer("last_one");
    expect((await owner.get(page)).text).toContain("You have no passkeys.");
    await addPasskey(owner, new Authenticator(origin));
    const { text } = await owner.get(page);
    const removed = await owner.post(`${page}/passkeys/remove`, removeOn(text)).expect(303);
    const after = await owner.get(String(removed.headers["location"])).expect(200);
    expect(after.text).toContain("From now on you log in with your password.");
  });

  it("the security settings show a refused form again with the name as typed", async () => {
    const owner = await world.newcomer("retyper");
    const name = "A name that is too long for a passkey, by a few characters";
    const long = await owner.post(`${page}/passkeys`, { name, passkey: "{}" }).expect(422);
    expect(long.text).toContain(`value="${name}"`);
    expect(alertsOn(long.text)).toEqual(["Names of passkeys can have at most 50 characters."]);
    for (const [passkey, told] of [
      ["", "Your browser did not send a passkey."],
      ["{}", "That passkey did not work."],
      ["[", "That passkey did not work."],
      [JSON.stringify({ id: ["a"], response: null }), "That passkey did not work."],
    ] as const) {
      const { text } = await owner.post(`${page}/passkeys`, { name: "Kept", passkey }).expect(422);
      expect(text).toContain('value="Kept"');
      expect(alertsOn(text).join()).toContain(told);
    }
  });

  it("the security settings do not add a passkey to another account", async () => {
    const [one, other] = [await world.newcomer("one"), await world.newcomer("other")];
    const passkey = new Authenticator(origin);
    const options = await readOptions<PublicKeyCredentialCreationOptionsJSON>(one, "add");
    const answer = { name: "", passkey: JSON.stringify(passkey.create(options)) };
    await other.post(`${page}/passkeys`, answer).expect(422);
    expect((await other.get(page)).text).toContain("You have no passkeys.");
  });

  it("the security settings have no passkeys on an address without a domain, nor on a Host that any client may claim", async () => {
    const here = await createWorld({}, { workers: false });
    const owner = await here.newcomer("local");
    const ask = (host: string) =>
      owner.post("/passkeys/options", { act: "log-in" }).set("Host", host);
    for (const host of ["127.0.0.1:3000", "[::1]:3000", "evil.example", "localhost.evil.example"])
      expect([host, (await ask(host)).status]).toEqual([host, 404]);
    for (const host of ["localhost", "localhost:3000"]) {
      const { body } = await ask(host).expect(200);
      expect((body as { rpId: string }).rpId).toBe("localhost");
    }
    expect((await owner.get(page)).text).not.toContain('data-passkey="add"');
    expect((await here.visitor().get("/login")).text).not.toContain("data-passkey=");
    await here.close();
  });

  it("the security settings take BASE_URL for the site's domain, whatever the Host is", async () => {
    const owner = await world.newcomer("based");
    const { body } = await owner
      .post("/passkeys/options", { act: "log-in" })
      .set("Host", "evil.example")
      .expect(200);
    expect((body as { rpId: string }).rpId).toBe("localhost");
  });

  it("the security settings turn the authenticator app on, with a picture and a text of its key, and off again", async () => {
    const owner = await world.newcomer("app_owner");
    expect((await owner.get(page)).text).toContain("It is off.");
    await owner.post(`${page}/totp/start`).expect(303);
    const { text } = await owner.get(`${page}/totp`).expect(200);
    expect(text).toMatch(/<svg class="qr" viewBox="0 0 (\d+) \1" role="img" aria-label="QR code/);
    expect(text).toMatch(/<path d="M\d+ \d+h1v1h-1z/);
    const secret = secretOn(text);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const wrong = await owner.post(`${page}/totp`, { code: "000000" }).expect(422);
    expect(secretOn(wrong.text)).toBe(secret);
    expect(alertsOn(wrong.text)).toHaveLength(1);
    const code = await codeOf(secret, world.ctx.now());
    const on = await owner.post(`${page}/totp`, { code }).expect(303);
    expect(on.headers["location"]).toBe(`${page}?on`);
    const shown = await owner.get(`${page}?on`).expect(200);
    expect(shown.text).toContain("your password alone does not log in");
    expect(shown.text).toContain('<a href="/settings/account/recovery">make recovery codes</a>');
    expect(shown.text).not.toContain(secret);
    expect((await owner.get(`${page}/totp`)).text).not.toContain(secret);

    const off = await owner.post(`${page}/totp/remove`).expect(303);
    const after = await owner.get(String(off.headers["location"])).expect(200);
    expect(after.text).toContain("From now on, your password alone logs in.");
    const visitor = world.visitor();
    await visitor.post("/login", { name: "app_owner", password }).expect(303);
    expect(await isIn(visitor)).toBe(true);
  });

  it("a new password ends the sessions that a passkey or a code opened, and keeps both", async () => {
    const owner = await world.newcomer("renewer");
    const passkey = new Authenticator(origin);
    await addPasskey(owner, passkey);
    const secret = await turnOnApp(owner, world);
    const byCode = async (pass: string) => {
      const visitor = world.visitor();
      const { headers } = await visitor.post("/login", { name: "renewer", password: pass });
      expect(headers["location"]).toBe("/login/code");
      await visitor.post("/login/code", { code: await codeOf(secret, world.ctx.now()) });
      return visitor;
    };
    const others = [world.visitor(), await byCode(password)];
    await logInWithPasskey(others[0] ?? owner, passkey);
    for (const one of others) expect(await isIn(one)).toBe(true);

    const change = { current_password: password, new_password: "another horse 43" };
    await owner.post("/settings/account", change).expect(303);
    for (const one of others) expect(await isIn(one)).toBe(false);
    expect(await isIn(owner)).toBe(true);
    // Codes are good once.
    world.pass(60_000);
    expect(await isIn(await byCode(change.new_password))).toBe(true);
    const again = world.visitor();
    expect((await logInWithPasskey(again, passkey)).status).toBe(303);
    expect(await isIn(again)).toBe(true);
  });

  it("the security settings refuse a passkey that was made or asked on another site", async () => {
    const owner = await world.newcomer("phished");
    const passkey = new Authenticator(origin);
    await addPasskey(owner, passkey);
    const phish = new Authenticator("http://localhost.evil.example:3000");
    expect((await addPasskey(owner, phish)).status).toBe(422);
    expect((await owner.get(page)).text.match(/Never used/g)).toHaveLength(1);
    for (const deviation of [{ origin: phish.origin }, { rpId: "localhost.evil.example" }]) {
      const visitor = world.visitor();
      expect((await logInWithPasskey(visitor, passkey, deviation)).status).toBe(422);
      expect(await isIn(visitor)).toBe(false);
    }
  });

  it("the security settings do not replace the key of an app that is on", async () => {
    const owner = await world.newcomer("app_keeper");
    const secret = await turnOnApp(owner, world);
    const { text } = await owner.post(`${page}/totp/start`).expect(422);
    expect(alertsOn(text)).toEqual(["Your authenticator app is already on."]);
    const visitor = world.visitor();
    await visitor.post("/login", { name: "app_keeper", password }).expect(303);
    await visitor.post("/login/code", { code: await codeOf(secret, world.ctx.now()) });
    expect(await isIn(visitor)).toBe(true);
  });
});
