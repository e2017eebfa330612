import { afterEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { findUser } from "../../src/domain/users/store.ts";
import { send } from "../support/actors/composer.ts";
import { newPeople } from "../support/actors/people.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { exportFileWith, timeAt } from "../support/data/account-files.ts";
import { photo } from "../support/data/pictures.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** The limits as they are on a site without settings. */
const { limitFactor, firstDayShare, limits } = parseConfig({});
const defaults = { limitFactor, firstDayShare, limits };

describe("the default limits on a launch day", () => {
  let world: World;
  afterEach(() => world.close());

  const namesOf = async (count: number) => {
    const ids = await newPeople(world.ctx, count);
    const users = await Promise.all(ids.map((id) => findUser(world.ctx, id)));
    return users.map((user) => user?.name ?? "");
  };

  it("a newcomer follows sixty people and posts forty tweets in the first three hours", async () => {
    world = await createWorld(defaults);
    const newcomer = await world.newcomer("newcomer");
    for (const name of await namesOf(60)) await newcomer.follow(name);
    for (let nth = 0; nth < 40; nth += 1) await newcomer.tweet(`tweet ${nth}`);
    for (let nth = 0; nth < 4; nth += 1)
      expect(
        (await send(newcomer, { text: `photo ${nth}`, pictures: [await photo()] })).status,
      ).toBe(303);
  });

  it("a class of thirty at one address signs up, follows each other, logs in again and posts a photo each", async () => {
    world = await createWorld({ ...defaults, pictureMilliseconds: 90_000 });
    const pupils: Visitor[] = [];
    for (let nth = 0; nth < 30; nth += 1) pupils.push(await world.newcomer(`pupil${nth}`));
    for (const pupil of pupils)
      for (const { name } of pupils) if (name !== pupil.name) await pupil.follow(name);
    const picture = await photo();
    const statuses = await Promise.all(
      pupils.map(async (pupil) => {
        await pupil.post("/logout").expect(303);
        const { status } = await pupil.post("/login", { name: pupil.name, password });
        return [status, (await send(pupil, { text: "hello", pictures: [picture] })).status];
      }),
    );
    expect(statuses).toEqual(pupils.map(() => [303, 303]));
  }, 180_000);

  it("a newcomer imports ten thousand tweets on the first day, and is told to bring the rest tomorrow", async () => {
    world = await createWorld(defaults);
    const newcomer = await world.newcomer("mover");
    const followings = (await namesOf(60)).map((name) => ({ name }));
    const tweets = Array.from({ length: 13_000 }, (_, nth) => ({
      text: `no. ${nth}`,
      created_at: timeAt(nth),
    })).toReversed();
    const file = exportFileWith({ follow: followings, tweet: tweets });
    await newcomer.import(file);
    const page = async () => (await newcomer.get("/settings/data").expect(200)).text;
    await expect.poll(page, { timeout: 150_000, interval: 250 }).toContain("<strong>Done</strong>");
    const text = await page();
    expect(text).toContain("60 people followed.");
    expect(text).toContain("12.5K tweets imported.");
    expect(text).toMatch(/500 skipped: over the daily limit\. Import the file again tomorrow\./);
  }, 180_000);
});
