import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exec } from "../../../../src/redis/exec.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { stampAt } from "../../../../src/domain/ids.ts";
import { findUser, type User } from "../../../../src/domain/users/store.ts";
import { readLanguages } from "../../../../src/web/languages/translator.ts";
import { presentFollows, presentProfile } from "../../../../src/web/site/profile/view.ts";
import { newPerson } from "../../../support/actors/people.ts";
import { createWorld, type World } from "../../../support/world/world.ts";
import { readerAs } from "../../../support/actors/english-reader.ts";

describe("a profile", () => {
  let world: World;
  let user: User;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const id = await newPerson(world.ctx);
    const found = (await findUser(world.ctx, id)) as User;
    user = { ...found, createdAt: stampAt(Date.UTC(2026, 10, 3), id) };
  });
  afterAll(() => world.close());

  async function counted(key: string, size: number): Promise<void> {
    await world.ctx.redis.del(key);
    if (size === 0) return;
    const flat = Array.from({ length: size }, (_, nth) => [nth + 1, nth + 1]).flat();
    await exec(world.ctx.redis, [["zadd", key, ...flat]]);
  }

  it.each([
    [0, "0", "Tweets"],
    [1, "1", "Tweet"],
    [2, "2", "Tweets"],
    [9999, "9,999", "Tweets"],
    [12_345, "12.3K", "Tweets"],
  ])("a profile counts %d tweets", async (size, text, label) => {
    await counted(keys.userTimeline(user.id), size);
    const { counts } = await presentProfile(world.ctx, readerAs(undefined), user);
    expect(counts.tweets).toEqual({ value: size, text, label, href: `/@${user.name}/replies` });
  });

  it("a profile counts by ten thousands in Japanese", async () => {
    await counted(keys.userTimeline(user.id), 12_345);
    const reader = { viewer: undefined, words: readLanguages().words("ja") };
    const { counts, joined } = await presentProfile(world.ctx, reader, user);
    expect(counts.tweets).toMatchObject({ value: 12_345, text: "1.2万", label: "ツイート" });
    expect(joined).toBe("2026年11月3日に登録");
  });

  it("a profile counts followers and followings, and links to them", async () => {
    await counted(keys.followers(user.id), 1);
    await counted(keys.followings(user.id), 3);
    const { counts } = await presentProfile(world.ctx, readerAs(undefined), user);
    const url = `/@${user.name}`;
    expect(counts.followers).toMatchObject({
      text: "1",
      label: "Follower",
      href: `${url}/followers`,
    });
    expect(counts.followings).toMatchObject({
      text: "3",
      label: "Following",
      href: `${url}/followings`,
    });
  });

  it("a profile has the join date, and whether it is the viewer's own", async () => {
    const view = await presentProfile(world.ctx, readerAs(user), user);
    expect(view).toMatchObject({
      joined: "Joined November 3, 2026",
      joinedIso: "2026-11-03T00:00:00.000Z",
      isMe: true,
      follow: undefined,
    });
  });

  it.each([
    ["https://example.org", "https://example.org/", "example.org"],
    ["http://www.Example.org/a/", "http://www.example.org/a/", "example.org/a"],
    ["https://раураl.com/", "https://xn--l-7sba6dbr.com/", "xn--l-7sba6dbr.com"],
    [
      `https://example.org/${"x".repeat(60)}`,
      `https://example.org/${"x".repeat(60)}`,
      `example.org/${"x".repeat(28)}…`,
    ],
  ])("a profile shows the website %s", async (website, href, text) => {
    const view = await presentProfile(world.ctx, readerAs(undefined), { ...user, website });
    expect(view.facts).toEqual([{ href, text }]);
  });

  it("a profile shows no website if there is none, or one that is invalid today", async () => {
    for (const website of ["", "javascript:alert(1)", "https://user@example.org/"]) {
      const view = await presentProfile(world.ctx, readerAs(undefined), { ...user, website });
      expect(view.facts).toEqual([]);
    }
  });

  it("a profile has links and tags in the bio, and names as plain text", async () => {
    const bio = "see https://example.org #birds @ann";
    const { bioParts } = await presentProfile(world.ctx, readerAs(undefined), { ...user, bio });
    expect(bioParts.map((part) => part.text).join("")).toBe("see example.org #birds @ann");
    expect(bioParts.map((part) => part.href).filter(Boolean)).toEqual([
      "https://example.org",
      "/tags/birds",
    ]);
  });

  it("a profile has two lists of users, one of them selected", async () => {
    const empty = { items: [], older: undefined };
    const reader = readerAs(undefined);
    const { tabs } = await presentFollows(world.ctx, reader, user, "followings", empty);
    expect(tabs).toEqual([
      { href: `/@${user.name}/followers`, label: "Followers", current: false },
      { href: `/@${user.name}/followings`, label: "Following", current: true },
    ]);
  });
});
