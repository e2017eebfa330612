import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPending } from "../../../src/domain/accounts/confirm-mail.ts";
import { listInvitations, makeInvitation } from "../../../src/domain/community/invitations.ts";
import type { ClientId } from "../../../src/domain/ids.ts";
import { getUserByName, isNameTaken } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createApp } from "../../../src/web/app.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { alertsOn } from "../../support/inspect/page.ts";
import { holdCommands } from "../../security/hold-commands.ts";
import { appOptions, createWorld, type World } from "../../support/world/world.ts";

const password = "correct horse 42";
const person = {
  username: "newbird",
  password,
  email: "a@b.example",
  agreement: true,
  locale: "en",
};
const path = "/api/v1/accounts";

describe("signing up through an app", () => {
  let world: World;
  let app: ApiClient;
  beforeAll(async () => {
    world = await createWorld({ trustProxy: 1, limitFactor: 1 });
    app = await ApiClient.app(world);
  });
  afterAll(() => world.close());

  const refused = async (fields: object) =>
    (await app.post(path, { ...person, username: "another", ...fields }).expect(422)).body.details;
  const from = (address: string, username: string) =>
    app
      .send("post", path)
      .set("X-Forwarded-For", address)
      .send({ ...person, username });

  const byForm = (name: string) =>
    world
      .visitor()
      .post("/signup", { name, fullname: "Bird", password })
      .set("X-Forwarded-For", "203.0.113.9");

  it("signing up through an app gives a token for its scopes, and a normal account", async () => {
    const { body } = await app.post(path, person).expect(200);
    expect(body).toMatchObject({ token_type: "Bearer", scope: "read write" });
    expect(body.created_at).toBeGreaterThan(1_600_000_000);
    const newbird = new ApiClient(world, body.access_token as string);
    const { body: me } = await newbird.get("/api/v1/accounts/verify_credentials").expect(200);
    expect(me).toMatchObject({ acct: "newbird", display_name: "newbird" });
    expect((await newbird.get("/api/v1/timelines/home").expect(200)).body).toEqual([]);
    await world.visitor().logIn("newbird");
  });

  it("an invitation that an app sends counts", async () => {
    const { ctx } = world;
    const code = await makeInvitation(ctx, undefined, { note: "", uses: 1, days: 1 });
    await app.post(path, { ...person, username: "invited", invite_code: code }).expect(200);
    expect(await listInvitations(ctx, undefined)).toMatchObject([{ used: 1 }]);
  });

  it("a refused sign-up through an app has an error for each field", async () => {
    expect(await refused({ username: "NewBird" })).toEqual({
      username: [{ error: "ERR_TAKEN", description: "That name is taken. Please choose another." }],
    });
    expect(await refused({ username: "admin" })).toMatchObject({
      username: [{ error: "ERR_RESERVED" }],
    });
    expect(await refused({ username: "" })).toMatchObject({ username: [{ error: "ERR_INVALID" }] });
    expect(await refused({ password: "short", username: "a b" })).toMatchObject({
      username: [{ error: "ERR_INVALID" }],
      password: [{ error: "ERR_TOO_SHORT" }],
    });
    expect(await refused({ password: undefined })).toMatchObject({
      password: [{ error: "ERR_TOO_SHORT" }],
    });
    expect(await refused({ agreement: "false" })).toMatchObject({
      agreement: [{ error: "ERR_ACCEPTED" }],
    });
    expect(await refused({ username: ["a"] })).toMatchObject({
      username: [{ error: "ERR_INVALID" }],
    });
  });

  it("signing up through an app requires the app's own token with the scope", async () => {
    await new ApiClient(world).post(path, person).expect(401);
    await world.newcomer("ann");
    await (await ApiClient.of(world, "ann")).post(path, person).expect(403);
    await (await ApiClient.app(world, "read")).post(path, person).expect(403);
  });

  it("a token that ends while an app signs up makes no account", async () => {
    const ending = await ApiClient.app(world);
    const held = holdCommands(world.ctx, keys.username("too_late"));
    const elsewhere = { ctx: held.ctx, app: createApp(held.ctx, appOptions) };
    const signingUp = new ApiClient(elsewhere, ending.token)
      .post(path, { ...person, username: "too_late" })
      .then(({ status }) => status);
    await held.waiting(1);
    const [client = ""] = ending.token?.split(".") ?? [];
    await world.ctx.redis.del(keys.appTokens(client as ClientId));
    held.release();
    expect(await signingUp).toBe(401);
    expect(await isNameTaken(world.ctx, "too_late")).toBe(false);
  });

  it("an address can sign up forty users in an hour, by app or form; a refusal counts a tenth", async () => {
    for (let nth = 0; nth < 18; nth += 1) {
      await from("203.0.113.9", "newbird").expect(422);
      await from("203.0.113.9", `bird_${nth}`).expect(200);
      await byForm("newbird").expect(422);
      await byForm(`form_${nth}`).expect(303);
    }
    const { body, headers } = await from("203.0.113.9", "bird_20").expect(429);
    expect(body).toEqual({ error: expect.stringContaining("Try again in 60 minutes.") });
    expect(Number(headers["retry-after"])).toBeGreaterThan(60);
    const { text } = await byForm("form_20").expect(429);
    expect(alertsOn(text)).toEqual([expect.stringContaining("Try again in 60 minutes.")]);
    expect(text).toContain('value="form_20"');
    await from("203.0.113.10", "bird_20").expect(200);
  });
});

describe("signing up through an app, where the site sends mail", () => {
  it("the address of a sign-up is asked to be confirmed", async () => {
    const limits = { "mails:newAddress": 1 };
    const world = await createWorld(
      { smtpUrl: "smtp://127.0.0.1:9", limitFactor: 1, limits },
      { workers: false },
    );
    const app = await ApiClient.app(world);
    const signUp = (username: string, email: string) =>
      app.post(path, { ...person, username, email, locale: "ja-JP" });
    const { body } = await signUp("wrong", "no address").expect(422);
    expect(body.details).toMatchObject({ email: [{ error: "ERR_INVALID" }] });
    await signUp("mailbird", "bird@example.org").expect(200);
    const { id } = await getUserByName(world.ctx, "mailbird");
    expect(await findPending(world.ctx, id)).toMatchObject({
      address: "bird@example.org",
      language: "ja",
    });
    await signUp("silentbird", "").expect(200);
    // As many as the site's own page sends for new accounts.
    await signUp("secondbird", "second@example.org").expect(200);
    const second = await getUserByName(world.ctx, "secondbird");
    expect(await findPending(world.ctx, second.id)).toBeUndefined();
    await world.close();
  });
});
