import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { typedFields } from "../../support/inspect/page.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const valueOf = (tag: string, name: string) => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1];

/** All that a browser sends of a form that nobody has changed. */
function fieldsOn(html: string, action: string): Record<string, string> {
  const form = new RegExp(`<form[^>]*action="${action}".*?</form>`, "s").exec(html)?.[0] ?? "";
  const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([input]) => input);
  const sent = inputs
    .filter((input) => !/type="(hidden|file)"/.test(input))
    .filter((input) => !/type="(checkbox|radio)"/.test(input) || /\schecked/.test(input))
    .map((input) => [valueOf(input, "name") ?? "", valueOf(input, "value") ?? "on"] as const);
  const chosen = [...form.matchAll(/<select.*?<\/select>/gs)].map(
    ([select]) =>
      [valueOf(select, "name") ?? "", /value="(\w+)" selected/.exec(select)?.[1] ?? ""] as const,
  );
  const texts = Object.entries(typedFields(form, action));
  const asSent = texts.map(([name, text]) => [name, text.replaceAll("\n", "\r\n")] as const);
  return Object.fromEntries([...sent, ...chosen, ...asSent]);
}

async function open(who: Visitor, path: string): Promise<Record<string, string>> {
  const { text } = await who.get(path).expect(200);
  return fieldsOn(text, path);
}

describe("a form that is sent long after its page was shown", () => {
  let world: World;
  let ann: Visitor;
  let boss: Visitor;
  let chief: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss", "chief"] }, { workers: false });
    [ann, boss, chief] = [
      await world.newcomer("ann"),
      await world.newcomer("boss"),
      await world.newcomer("chief"),
    ];
  });
  afterAll(() => world.close());

  const user = () => getUserByName(world.ctx, "ann");

  it("the form of a site's settings leaves what another admin has changed since", async () => {
    const path = "/admin/site";
    await boss
      .post(path, { ...(await open(boss, path)), rules: "Be kind.\nBe brief.", contact: "a@b.ee" })
      .expect(303);
    const first = await open(boss, path);
    const second = await open(chief, path);
    expect(first).toMatchObject({ read: "public", signUp: "open", rules: "Be kind.\r\nBe brief." });
    await boss.post(path, { ...first, read: "members", membersInvite: "on" }).expect(303);
    await boss.post(path, { ...(await open(boss, path)), rules: "Be kind." }).expect(303);
    await chief.post(path, { ...second, tagline: "Beans for all" }).expect(303);
    expect(await world.ctx.redis.hgetall(keys.site)).toMatchObject({
      read: "members",
      membersInvite: "true",
      rules: "Be kind.",
      tagline: "Beans for all",
      contact: "mailto:a@b.ee",
    });
    const log = (await boss.get("/admin/audit").expect(200)).text;
    expect(log).toMatch(/@chief<\/a> changed the settings[^@]*>One-line description<\/p>/);
    await world.ctx.redis.del(keys.site);
  });

  it("an old tab of the privacy settings leaves the account protected", async () => {
    const path = "/settings/privacy";
    const old = await open(ann, path);
    expect(old).toMatchObject({ audience: "public", messagesFrom: "everyone" });
    const fresh = await open(ann, path);
    await ann.post(path, { ...fresh, protected: "on", repliesFrom: "followed" }).expect(303);
    await ann.post(path, { ...old, messagesFrom: "followed" }).expect(303);
    expect(await user()).toMatchObject({
      protected: true,
      repliesFrom: "followed",
      messagesFrom: "followed",
    });
    const { protected: _taken, ...unticked } = await open(ann, path);
    await ann.post(path, unticked).expect(303);
    expect((await user()).protected).toBe(false);
  });

  it("an old tab of the profile leaves the texts that it has not changed", async () => {
    const path = "/settings/profile";
    const bio = "one\ntwo";
    await ann.post(path, { ...(await open(ann, path)), bio }).expect(303);
    const [old, fresh] = [await open(ann, path), await open(ann, path)];
    expect(old["bio"]).toBe("one\r\ntwo");
    await ann.post(path, { ...fresh, bio: "anew", website: "example.org" }).expect(303);
    await ann.post(path, { ...old, fullname: "Ann Anew" }).expect(303);
    const both = { fullname: "Ann Anew", bio: "anew", website: "https://example.org" };
    expect(await user()).toMatchObject(both);
    await ann.post(path, { ...(await open(ann, path)), bio: "" }).expect(303);
    expect(await user()).toMatchObject({ ...both, bio: "" });
  });

  it("a form that was refused still knows what its first page showed", async () => {
    const path = "/settings/profile";
    const old = await open(ann, path);
    const typed = { ...old, fullname: "x".repeat(51), website: "example.net" };
    const { text } = await ann.post(path, typed).expect(422);
    await ann.post(path, { ...(await open(ann, path)), bio: "meanwhile" }).expect(303);
    await ann.post(path, { ...fieldsOn(text, path), fullname: "Short" }).expect(303);
    expect(await user()).toMatchObject({
      fullname: "Short",
      bio: "meanwhile",
      website: "https://example.net",
    });
  });

  it("a refused form of the privacy settings has what was chosen, and still knows what its first page showed", async () => {
    const path = "/settings/privacy";
    const first = { audience: "public", repliesFrom: "everyone", messagesFrom: "everyone" };
    await ann.post(path, { ...first, messageTexts: "on" }).expect(303);
    const [old, fresh] = [await open(ann, path), await open(ann, path)];
    await ann.post(path, { ...fresh, protected: "on", repliesFrom: "followed" }).expect(303);
    const choice: Record<string, string> = { ...old, messagesFrom: "followed" };
    const { messageTexts: _taken, ...unticked } = choice;
    const { text } = await ann.post(path, { ...unticked, audience: "none" }).expect(422);
    const again = fieldsOn(text, path);
    expect({ ...again, audience: "public" }).toEqual(unticked);
    await ann.post(path, { ...again, audience: "unlisted" }).expect(303);
    expect(await user()).toMatchObject({
      protected: true,
      audience: "unlisted",
      repliesFrom: "followed",
      messagesFrom: "followed",
      messageTexts: false,
    });
  });

  it("the first step after a sign-up leaves a bio that was written on another page", async () => {
    const old = await open(ann, "/start");
    const profile = await open(ann, "/settings/profile");
    await ann.post("/settings/profile", { ...profile, bio: "later" }).expect(303);
    const form = ann.agent.post("/start");
    for (const [name, value] of Object.entries(old)) void form.field(name, value);
    await form.expect(303);
    expect((await user()).bio).toBe("later");
  });
});
