import { randomUUID } from "node:crypto";
import type { Express } from "express";
import type { Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRecoveryCodes } from "../../src/domain/factors/codes.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import { type BootedSite, bootSite } from "../support/world/booted-site.ts";
import { typedFields } from "../support/inspect/page.ts";
import { password, Visitor } from "../support/actors/visitor.ts";

describe("a form in an outage", () => {
  let site: BootedSite;
  let app: Express;
  let person: Visitor;
  beforeAll(async () => {
    site = await bootSite();
    ({ app } = site);
    person = new Visitor(app);
    await person.signUp("patient");
    await new Visitor(app).signUp("pest");
  });
  afterAll(() => site.close());

  const refuse = (refuses: boolean) => site.refuseWrites(refuses);
  const texts = async () => (await person.see("/@patient")).map(({ text }) => text);

  it("a form can be sent again from the outage page with all that was typed, and counts once", async () => {
    const fields = { text: `5 < 6 & "so on"\n雀 </form>`, nonce: randomUUID() };
    await refuse(true);
    const { text: page } = await person.post("/tweets", fields).expect(503);
    await refuse(false);
    expect(page).toContain("What you sent is kept on this page");
    expect(typedFields(page, "/tweets")).toEqual(fields);
    for (let time = 0; time < 2; time += 1)
      await person.post("/tweets", typedFields(page, "/tweets")).expect(303);
    expect(await texts()).toHaveLength(1);
  });

  it("a profile comes back as typed, in fields that can be read and changed", async () => {
    const fields = { fullname: "Patient", bio: "\nFirst\nsecond", website: "mia.example" };
    await refuse(true);
    const { text: page } = await person.post("/settings/profile", fields).expect(503);
    await refuse(false);
    expect(page).toContain('<label for="bio">Your text</label>');
    expect(typedFields(page, "/settings/profile")).toEqual(fields);
  });

  it("a form is kept in the reader's language where Redis cannot tell who sent it", async () => {
    const fields = { text: "nothing answers", nonce: randomUUID() };
    site.server.freeze();
    const answer = await person.post("/tweets", fields).set("Accept-Language", "ja");
    const stray = await person.post("//elsewhere.example/tweets", fields);
    site.server.thaw();
    expect([answer.status, stray.status]).toEqual([503, 503]);
    expect(stray.text).not.toContain("elsewhere");
    expect(answer.text).toContain("送信した内容はこのページに残っています");
    expect(typedFields(answer.text, "/tweets")).toEqual(fields);
    expect(await waitUntilReady(site.ctx.redis, 5000)).toBe(true);
    await expect
      .poll(async () => (await person.post("/tweets", fields)).status, { timeout: 5000 })
      .toBe(303);
    expect(await texts()).toHaveLength(2);
  });

  it("a form with a password or a recovery code is not kept", async () => {
    const { id } = await getUserByName(site.ctx, "patient");
    const [code = ""] = await makeRecoveryCodes(site.ctx, { id });
    await refuse(true);
    const logIn = await new Visitor(app).post("/login", { name: "patient", password });
    const change = { current_password: password, new_password: "a sparrow 17" };
    const changed = await person.post("/settings/account", change);
    const fields = { name: "patient", recovery_code: code };
    const rescue = await new Visitor(app).post("/forgot/code", fields);
    await refuse(false);
    for (const { status, text } of [logIn, changed, rescue]) {
      expect([status, text.includes("Nothing is lost")]).toEqual([503, true]);
      expect(text).not.toMatch(
        /<form[^>]*action="\/(login|settings|forgot)|correct horse|a sparrow 17/,
      );
    }
  });

  it("a tweet that is sent with its pictures' fields, as by the composer, is kept too", async () => {
    const fields = { text: "as multipart", nonce: randomUUID() };
    site.server.freeze();
    const { status, text: page } = await person.agent.post("/tweets").field(fields);
    site.server.thaw();
    expect(status).toBe(503);
    expect(typedFields(page, "/tweets")).toEqual(fields);
    expect(await waitUntilReady(site.ctx.redis, 5000)).toBe(true);
  });

  it("the texts of a tweet with large pictures are kept, without the pictures", async () => {
    const fields = { text: "with a picture", nonce: randomUUID(), description_1: "A <wren>" };
    const send = async () => {
      const form = person.agent.post("/tweets").field(fields);
      return await form.attach("pictures", Buffer.alloc(300_000, 1), "wren.jpg");
    };
    site.server.freeze();
    const silent = await send();
    site.server.thaw();
    expect(await waitUntilReady(site.ctx.redis, 5000)).toBe(true);
    expect(silent.status).toBe(503);
    expect(typedFields(silent.text, "/tweets")).toEqual(fields);
  });

  const inSilence = async (send: () => Promise<Response>) => {
    site.server.freeze();
    const answer = await send();
    site.server.thaw();
    // A connection that was silent may be dropped a moment later.
    await expect.poll(() => site.ctx.redis.ping().catch(() => "")).toBe("PONG");
    return answer;
  };

  it("an edit is kept, with its pictures' fields and without files, and can be sent again", async () => {
    await person.tweet("before the edit");
    const [{ id } = { id: "" }] = await person.see("/@patient");
    const path = `/tweets/${id}/edit`;
    const { text: editor } = await person.get(path).expect(200);
    const fields = { ...typedFields(editor, path), text: "after\nthe edit", warning: "A <b>" };
    const send = () => person.agent.post(path).field(fields);
    await refuse(true);
    const refused = await send();
    await refuse(false);
    const silent = await inSilence(
      async () => await send().attach("pictures", Buffer.alloc(300_000, 1), "wren.jpg"),
    );
    for (const { status, text } of [refused, silent]) {
      expect(status).toBe(503);
      expect(typedFields(text, path)).toEqual(fields);
    }
    await person.post(path, typedFields(silent.text, path)).expect(303);
    expect((await texts())[0]).toBe("after\nthe edit");
  });

  it("other forms that take texts are kept, too", async () => {
    const typed: [path: string, fields: Record<string, string>, isMultipart?: true][] = [
      ["/start", { bio: "I <sing>\nhigh" }, true],
      ["/lists", { title: "Early & late", replies: "list" }],
      ["/settings/muted", { word: "no <spoilers>", duration: "ever", action: "hide" }],
      ["/@pest/report", { reason: "spam", comment: "says\n<so>" }],
    ];
    for (const [path, fields, isMultipart] of typed) {
      const form = async () => {
        const post = person.agent.post(path);
        return await (isMultipart ? post.field(fields) : post.type("form").send(fields));
      };
      await refuse(true);
      const refused = await form();
      await refuse(false);
      const answers = isMultipart ? [refused, await inSilence(form)] : [refused];
      for (const { status, text } of answers) {
        expect([path, status]).toEqual([path, 503]);
        expect([path, typedFields(text, path)]).toEqual([path, fields]);
      }
    }
  });
});
