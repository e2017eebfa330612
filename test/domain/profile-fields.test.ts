import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { profileRow } from "../../src/domain/accounts/export-rows.ts";
import { type ProfileField, profileFields } from "../../src/domain/profile-fields.ts";
import { withNameOnly } from "../../src/domain/users/settings.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const form = "/settings/profile";

const fields = Object.keys(profileFields) as ProfileField[];

const isLink = (field: ProfileField) => profileFields[field].kind === "link";
/** What a page shows of the field, and the text as it is typed: short, as the limit of a new field may be low. */
const shownOf = (field: ProfileField) => (isLink(field) ? "my.example/mine" : `my ${field}`);
const typedOf = (field: ProfileField) => (isLink(field) ? "https://" : "") + shownOf(field);

describe("the fields of a profile", () => {
  let world: World;
  let person: Visitor;
  let boss: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    boss = await world.newcomer("boss");
    person = await world.newcomer("teller");
    const typed = Object.fromEntries(fields.map((field) => [field, typedOf(field)]));
    await person.post(form, typed).expect(303);
  });
  afterAll(() => world.close());

  it.each(fields)("the field %s is on the settings page, as it was typed", async (field) => {
    const { text } = await person.get(form).expect(200);
    const isThere = text.includes(`name="${field}"`) && text.includes(typedOf(field));
    expect(isThere, `${field} in views/settings/profile.pug`).toBe(true);
  });

  it.each(fields)("the field %s is refused with a message if it is too long", async (field) => {
    const long = typedOf(field).padEnd(profileFields[field].limit + 1, "x");
    const { text } = await person
      .post(form, { fullname: "Long", bio: "", [field]: long })
      .expect(422);
    expect(text.includes(`id="${field}-error"`), `${field} in site/settings/form.ts`).toBe(true);
  });

  it.each(fields)("the field %s is shown on the profile", async (field) => {
    const { text } = await world.visitor().get("/@teller").expect(200);
    const main = text.replace(/[^]*<h1/, "");
    expect(main.includes(shownOf(field)), `${field} in site/profile/menu-view.ts`).toBe(true);
  });

  it.each(fields)("the field %s is in the export of its user", async (field) => {
    const user = await getUserByName(world.ctx, "teller");
    const row = profileRow({ ctx: world.ctx, user, site: "" });
    expect(row, `${field} in accounts/export-rows.ts`).toHaveProperty(field, typedOf(field));
  });

  it.each(fields)("nothing of the field %s is left of a suspended user", async (field) => {
    const left = withNameOnly(await getUserByName(world.ctx, "teller"));
    expect(left[field], `${field} in users/settings.ts`).not.toBe(typedOf(field));
  });

  it.each(fields)("a moderator can remove the field %s", async (field) => {
    const name = `rude${fields.indexOf(field)}`;
    const rude = await world.newcomer(name);
    await rude.post(form, { fullname: name, bio: "", [field]: typedOf(field) }).expect(303);
    await boss.post(`/@${name}/report`, { reason: "spam", comment: "" }).expect(303);
    const page = (await boss.get("/admin/reports").expect(200)).text;
    const verb = field === "fullname" ? "fullname" : "bio";
    const isOffered = page.includes(`value="${verb}"`);
    expect(isOffered, `${field} in site/moderation/view.ts`).toBe(true);
    const decision = { ...hiddenFields(page, "/admin/reports"), note: "", verb };
    await boss.post("/admin/reports", decision).expect(303);
    const left = await getUserByName(world.ctx, name);
    expect(left[field], `${field} in moderation/moderate.ts`).toBe(verb === "bio" ? "" : name);
  });

  const known = fields.filter((field) => profileFields[field].api !== undefined);
  it.each(known)("apps write and read the field %s", async (field) => {
    await world.newcomer(`app_${field}`);
    const client = await ApiClient.of(world, `app_${field}`);
    const value = typedOf(field);
    const parameter = profileFields[field].api ?? field;
    const sent = { [parameter]: parameter === "fields_attributes" ? [{ value }] : value };
    await client.send("patch", "/api/v1/accounts/update_credentials").send(sent).expect(200);
    const stored = await getUserByName(world.ctx, `app_${field}`);
    expect(stored[field], `${field} in api/credentials.ts`).toBe(value);
    const { body } = await client.get(`/api/v1/accounts/${stored.id}`).expect(200);
    expect(JSON.stringify(body), `${field} in api/entities/account.ts`).toContain(shownOf(field));
  });

  it.each(fields)("the documents tell of the field %s", (field) => {
    const [, stored = ""] = /\*\*The fields of `user:ID`\.\*\*([^]*?)\n\n/.exec(
      read("docs/redis-keys.md"),
    ) ?? [""];
    expect(stored, `${field} in docs/redis-keys.md`).toContain(`\`${field}\``);
    const sent = /.*`POST \/settings\/profile`.*/.exec(read("docs/routes.md"))?.[0];
    expect(sent, `${field} in docs/routes.md`).toContain(`\`${field}\``);
  });

  const languages = readdirSync(new URL("src/web/languages", root)).filter((name) =>
    name.endsWith(".json"),
  );
  it.each(languages.flatMap((file) => fields.map((field) => ({ file, field }))))(
    "$file has the messages of the field $field",
    ({ file, field }) => {
      const messages = JSON.parse(read(`src/web/languages/${file}`)) as Record<string, string>;
      for (const key of [`settings.${field}`, `settings.${field}Hint`, `problem.${field}.long`])
        expect(Object.keys(messages), `${key} in ${file}`).toContain(key);
    },
  );
});
