import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../src/migrations/migrate.ts";
import { findUserByName, getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { alertsOn, hiddenFields } from "../support/inspect/page.ts";
import { picture } from "../support/data/pictures.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { password, Visitor } from "../support/actors/visitor.ts";
import { runAdmin } from "../support/world/admin-process.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { fill, routesOf } from "../support/world/routes.ts";
import { createWorld, type World } from "../support/world/world.ts";

const pageSettings = { signUp: "invite", read: "members", rules: "Be kind.\nNo ads." };

interface Media {
  id: string;
  url: string;
  preview_url: string;
}

const applyTo = (visitor: Visitor, fields: Record<string, string>) =>
  visitor.post("/signup", { fullname: "Test", password, agreed: "yes", ...fields });

describe("a closed club", () => {
  let world: World;
  let admin: Visitor;
  beforeAll(async () => {
    world = await createWorld({});
    admin = await world.newcomer("keeper");
    // As the start of a site does.
    await migrate(world.ctx);
    expect((await runAdmin(["make-admin", "keeper"])).errors).toBe("");
    await admin.post("/admin/site", pageSettings).expect(303);
  });
  afterAll(async () => {
    // The apps' tokens are of no registered app.
    for (const name of ["keeper", "ann"]) {
      const user = await getUserByName(world.ctx, name);
      await world.ctx.redis.del(keys.tokens(user.id));
    }
    await closeChecked(world);
  });

  it("a closed club admits only users with a link who accept its rules, and lists who came by which", async () => {
    const ann = new Visitor(world.app);
    const { text: shut } = await ann.get("/signup").expect(200);
    expect(shut).toContain("You need an invitation");
    expect(shut).not.toContain('name="password"');
    await applyTo(ann, { name: "ann" }).expect(422);

    const made = await admin
      .post("/settings/invitations", { uses: "1", days: "7", note: "for Ann" })
      .expect(200);
    const [link = ""] = /\/signup\?invitation=[\w.-]+/.exec(made.text) ?? [];
    expect(link).not.toBe("");
    expect((await admin.get("/settings/invitations").expect(200)).text).not.toContain(link);

    const { text: form } = await ann.get(link).expect(200);
    expect(form).toContain("@keeper invited you.");
    expect(form).toContain("No ads.");
    const hidden = hiddenFields(form, "/signup");
    const unread = await applyTo(ann, { name: "ann", ...hidden, agreed: "" }).expect(422);
    expect(alertsOn(unread.text)).toEqual(["Please accept the rules first."]);
    await applyTo(ann, { name: "ann", ...hidden }).expect(303);
    await ann.get("/").expect(200);
    const again = await applyTo(new Visitor(world.app), { name: "bob", ...hidden }).expect(422);
    expect(alertsOn(again.text)).toContainEqual(expect.stringContaining("has been used up"));
    expect((await admin.get("/settings/invitations").expect(200)).text).toContain("@ann");
  });

  it("a closed club's operator invites from the shell while the site runs", async () => {
    const { output } = await runAdmin(["invite"], { BASE_URL: "https://club.example" });
    expect(output).toMatch(/^https:\/\/club\.example\/signup\?invitation=[\w.-]+\n$/);
    const { pathname, search } = new URL(output.trim());
    const sol = new Visitor(world.app);
    const { text } = await sol.get(pathname + search).expect(200);
    await applyTo(sol, { name: "sol", ...hiddenFields(text, "/signup") }).expect(303);
    await sol.get("/").expect(200);
  });

  it("a closed club shows strangers only its sign-up and log-in pages, on any route", async () => {
    const open = new Set(
      (
        "/login /login/code /login/passkey /passkeys/options /logout /signup /signup/waiting /oauth/authorize /about /privacy /language " +
        "/forgot /forgot/code /forgot/mail /reset/:token /confirm /confirm/:token /unsubscribe/:token"
      ).split(" "),
    );
    const machines =
      /^\/(avatars|pictures|headers\/original|healthz|readyz|metrics|manifest|opensearch|robots|favicon|apple|logo|accent|assets|public|\.well-known\/(?!webfinger)|nodeinfo|oauth|api\/v[12]\/instance|api\/v1\/apps|api\/v1\/streaming\/health)/;
    const values = { name: "keeper", file: "1.svg" };
    const shown: string[] = [];
    for (const { method, path } of routesOf(world.app)) {
      const isSignUp = method === "post" && path === "/api/v1/accounts";
      if (open.has(path) || machines.test(path) || isSignUp) continue;
      const res = await request(world.app)[method](fill(path, values));
      const isRefused =
        res.status === 401 ||
        res.status === 403 ||
        (res.status === 303 && res.headers["location"]?.startsWith("/login"));
      if (!isRefused) shown.push(`${method} ${path} ${res.status}`);
    }
    expect(shown).toEqual([]);
  });

  it("a closed club tells strangers in apps nothing about its members", async () => {
    const { id = "", name = "" } = (await findUserByName(world.ctx, "keeper")) ?? {};
    for (const path of [
      `/api/v1/accounts?id[]=${id}`,
      `/api/v1/accounts?id=${id}`,
      `/.well-known/webfinger?resource=acct:${name}@club.example`,
      `/.well-known/WebFinger?resource=acct:${name}@club.example`,
    ]) {
      const { text } = await request(world.app).get(path).set("Host", "club.example").expect(401);
      expect([path, text.includes(name)]).toEqual([path, false]);
    }
  });

  it("a closed club tells strangers whom to ask and where to change a password", async () => {
    await request(world.app).get("/.well-known/security.txt").expect(200);
    await request(world.app).get("/.well-known/change-password").expect(303);
  });

  it("a member of a closed club who lost the password is let back in by a link", async () => {
    const { text } = await admin.get("/admin/reset").expect(200);
    const fields = { ...hiddenFields(text, "/admin/reset"), name: "ann" };
    const made = await admin.post("/admin/reset", fields).expect(200);
    const [, path = ""] = /<code id="reset-link">[^<]*?(\/reset\/[^<]+)</.exec(made.text) ?? [];
    const ann = new Visitor(world.app);
    await ann.get("/forgot").expect(200);
    await ann.get(path).expect(200);
    await ann.post(path, { new_password: "a rescued horse 44" }).expect(303);
    await ann.post("/login", { name: "ann", password: "a rescued horse 44" }).expect(303);
    await ann.get("/").expect(200);
  });

  it("a closed club shows pictures of its members to apps, by addresses that cannot be guessed", async () => {
    const png = await picture("png");
    const send = async () => {
      await admin.agent.post("/settings/avatar").attach("avatar", png, "me.png").expect(303);
      const { text } = await admin.get("/@keeper").expect(200);
      return /\/avatars\/\d+-\w+\.webp/.exec(text)?.[0] ?? "";
    };
    const first = await send();
    const shown = await request(world.app).get(first).expect(200);
    expect(shown.headers["cache-control"]).toContain("private");
    // The same picture has another address: knowing a picture does not tell who uses it.
    const second = await send();
    expect(second).not.toBe(first);
    await request(world.app).get(first).expect(404);
    await request(world.app).get(second).expect(200);
    await admin.post("/settings/avatar/remove").expect(303);
    await request(world.app).get(second).expect(404);
  });

  it("a closed club shows pictures of tweets to apps, and those for some by signed addresses", async () => {
    const keeper = await ApiClient.of(world, "keeper");
    const ann = await ApiClient.of(world, "ann");
    const { id = "" } = (await findUserByName(world.ctx, "keeper")) ?? {};
    await ann.post(`/api/v1/accounts/${id}/follow`).expect(200);
    const png = await picture("png");
    const upload = async () => {
      const sent = keeper.send("post", "/api/v2/media").attach("file", png, "a.png");
      return (await sent.expect(200)).body as Media;
    };
    const post = async (visibility: string) => {
      const status = { status: "look", visibility, media_ids: [(await upload()).id] };
      const posted = (await keeper.post("/api/v1/statuses", status).expect(200)).body as Media;
      const { body } = await ann.get(`/api/v1/statuses/${posted.id}`).expect(200);
      return (body as { media_attachments: [Media] }).media_attachments[0];
    };
    const [open, narrow, unsent] = [await post("public"), await post("private"), await upload()];
    for (const url of [open, narrow, unsent].flatMap((one) => [one.url, one.preview_url])) {
      const { pathname, search } = new URL(url);
      const shown = await request(world.app)
        .get(pathname + search)
        .expect(200);
      expect(shown.headers["cache-control"]).toContain("private");
    }
    for (const { url } of [narrow, unsent])
      await request(world.app).get(new URL(url).pathname).expect(404);
    await keeper.delete(`/api/v1/media/${unsent.id}`).expect(200);
  });

  it("a closed club is read by its members as usual", async () => {
    await admin.tweet("only for us");
    await admin.get("/").expect(200);
    const { text } = await admin.get("/@keeper").expect(200);
    expect(text).toContain("only for us");
    const stranger = await request(world.app).get("/@keeper").expect(303);
    expect(stranger.text).not.toContain("only for us");
  });

  it("a closed club can take applications: applicants wait, and read the decision when they log in", async () => {
    await admin.post("/admin/site", { ...pageSettings, signUp: "approve" }).expect(303);
    const [cleo, dan] = [new Visitor(world.app), new Visitor(world.app)];
    const { text: empty } = await applyTo(cleo, { name: "cleo", reason: " " }).expect(422);
    expect(alertsOn(empty)).toHaveLength(1);
    const sent = await applyTo(cleo, { name: "cleo", reason: "I grow beans." }).expect(303);
    expect(sent.headers["location"]).toBe("/signup/waiting");
    await applyTo(dan, { name: "dan", reason: "Buy my beans!" }).expect(303);
    const early = await cleo.post("/login", { name: "cleo", password }).expect(422);
    expect(early.text).toContain("has not decided");

    const { text: requests } = await admin.get("/admin/requests").expect(200);
    expect(requests).toContain("I grow beans.");
    const idOf = (name: string) =>
      new RegExp(`@${name}.*?name="applicant" value="(\\d+)"`, "s").exec(requests)?.[1] ?? "";
    await admin.post("/admin/requests", { applicant: idOf("cleo"), verb: "accept" }).expect(303);
    const no = { applicant: idOf("dan"), verb: "decline", note: "No ads, please." };
    await admin.post("/admin/requests", no).expect(303);

    await cleo.post("/login", { name: "cleo", password }).expect(303);
    await cleo.get("/").expect(200);
    const refused = await dan.post("/login", { name: "dan", password }).expect(422);
    expect(refused.text).toContain("No ads, please.");
    const guess = await dan.post("/login", { name: "dan", password: "a wrong one" }).expect(422);
    expect(guess.text).not.toContain("No ads, please.");
  });
});
