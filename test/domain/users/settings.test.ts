import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteAccount, eraseAccount } from "../../../src/domain/accounts/erase.ts";
import {
  chooseAudiences,
  chooseLanguage,
  chooseTheme,
  cleanWebsite,
  editProfile,
} from "../../../src/domain/users/settings.ts";
import { chooseTimeZone } from "../../../src/domain/users/time-zone.ts";
import { getUserByName, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { password } from "../../support/actors/visitor.ts";
import { growth } from "../../support/inspect/growth.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("editing a profile", () => {
  let world: World;
  let user: User;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    await world.newcomer("editor");
    user = await getUserByName(world.ctx, "editor");
  });
  afterAll(() => world.close());

  const edit = (fullname: string, bio: string, website = "") =>
    editProfile(world.ctx, user, { fullname, bio, website });

  it("a bio has at most 160 characters as a reader counts them", async () => {
    await edit("Editor", "👨‍👩‍👧".repeat(160));
    expect(await getUserByName(world.ctx, "editor")).toMatchObject({ bio: "👨‍👩‍👧".repeat(160) });
    const problems = { bio: "bio.long" };
    await expect(edit("Editor", "x".repeat(161))).rejects.toMatchObject({ problems });
  });

  it("a full name that is too long or blank is refused", async () => {
    const long = { fullname: "fullname.long" };
    await expect(edit("x".repeat(51), "")).rejects.toMatchObject({ problems: long });
    const empty = { fullname: "fullname.empty" };
    for (const fullname of ["", "\u3164", "\u200D\u200C"])
      await expect(edit(fullname, "")).rejects.toMatchObject({ problems: empty });
  });

  it("full name and bio are cleaned of what would turn or hide other text", async () => {
    await edit("Ed\u202Eitor\n\n2", "\u0000one\u2066\r\ntwo\u200B");
    expect(await getUserByName(world.ctx, "editor")).toMatchObject({
      fullname: "Editor 2",
      bio: "one\ntwo",
    });
  });

  it.each([
    "",
    "https://example.org",
    "HTTP://例え.jp/道?a=b#c",
    `https://e.org/${"x".repeat(86)}`,
  ])("the website %s is kept", async (website) => {
    await edit("Editor", "", ` ${website} `);
    expect(await getUserByName(world.ctx, "editor")).toMatchObject({ website });
  });

  it.each([
    "example",
    "//example.org",
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://example.org",
    "https:example.org",
    "https://",
    "https:///example.org",
    "https://a b.example",
    "https://bank.example@evil.example",
    "https://bank.example:pass@evil.example/",
    "https://[::1",
    "https://example.org:99999",
  ])("the website %s is refused", async (website) => {
    const problems = { website: "website.format" };
    await expect(edit("Editor", "", website)).rejects.toMatchObject({ problems });
  });

  it.each([
    ["example.org", "https://example.org"],
    ["www.example.org/~ann?b", "https://www.example.org/~ann?b"],
    ["雀.jp", "https://雀.jp"],
  ])("the website %s is stored as %s", async (website, stored) => {
    await edit("Editor", "", website);
    expect(await getUserByName(world.ctx, "editor")).toMatchObject({ website: stored });
  });

  it.each([".", "a."])("the time of a website of many %s is proportional to its length", (unit) => {
    expect(growth(unit, (text) => cleanWebsite(`${text}:`))).toBeLessThan(10);
  });

  it("a host with a dot inside is short for an address", () => {
    for (const short of ["a.b", "a..b", "..b", "a.b.", "a.b/"])
      expect(cleanWebsite(short)).toBe(`https://${short}`);
    for (const other of [".b", "b.", "a", "a/b.c", "a.b:1", "a@b.c", "a b.c", "a.b c"])
      expect(cleanWebsite(other)).toBe(other);
  });

  it("a website of more than 100 characters is refused", async () => {
    const problems = { website: "website.long" };
    await expect(edit("Editor", "", `https://e.org/${"x".repeat(87)}`)).rejects.toMatchObject({
      problems,
    });
  });

  it("editing a profile writes three fields, whatever the form adds", async () => {
    const person = world.visitor();
    await person.logIn("editor");
    const before = await world.ctx.redis.hgetall(keys.user(user.id));
    const fields = {
      fullname: "Same",
      bio: "",
      role: "admin",
      name: "other",
      pass: "x",
      id: "9",
      avatar: "x",
    };
    await person.post("/settings/profile", fields).expect(303);
    const after = await world.ctx.redis.hgetall(keys.user(user.id));
    expect(after).toEqual({ ...before, fullname: "Same", bio: "", website: "" });
  });

  it("an edit writes the texts it is given: others stay as they are by then", async () => {
    await edit("Editor", "the old bio", "https://example.org");
    const read = await getUserByName(world.ctx, "editor");
    await editProfile(world.ctx, user, { bio: "", website: "https://example.com" });
    await editProfile(world.ctx, read, { fullname: "Edited" });
    expect(await getUserByName(world.ctx, "editor")).toMatchObject({
      fullname: "Edited",
      bio: "",
      website: "https://example.com",
    });
  });

  it("a setting that is saved after the end of the account leaves nothing", async () => {
    await world.newcomer("leaver");
    const leaver = await getUserByName(world.ctx, "leaver");
    await deleteAccount(world.ctx, leaver, { name: leaver.name, password });
    for (const pass of ["first", "last"] as const)
      await eraseAccount(world.ctx, { user: leaver.id, pass });
    await editProfile(world.ctx, leaver, { bio: "too late" });
    await chooseLanguage(world.ctx, leaver, "ja");
    await chooseTheme(world.ctx, leaver, "night");
    await chooseAudiences(world.ctx, leaver, { protected: true, audience: "followers" });
    await chooseTimeZone(world.ctx, leaver.id, "Asia/Tokyo");
    expect(await world.ctx.redis.hgetall(keys.user(leaver.id))).toEqual({});
  });
});
