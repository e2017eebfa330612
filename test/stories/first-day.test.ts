import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alertsOn, peopleOn, tweetsOn } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

describe("a first day on Suzume", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => closeChecked(world));

  it("a new user signs up and reads a followed user's tweet at home", async () => {
    const reader = await world.newcomer("reader");
    const writer = await world.newcomer("writer");
    expect(await reader.see("/")).toEqual([]);

    await reader.follow("writer");
    await writer.tweet("Good morning, 雀!");
    await world.delivered();

    // A list that has something in it does not also say that it is empty.
    for (const path of ["/@writer", "/explore"])
      expect((await reader.get(path)).text).not.toMatch(/No tweets yet|There are no tweets/);
    const seen = { text: "Good morning, 雀!", author: "writer" };
    expect(await reader.see("/")).toMatchObject([seen]);
    expect(await writer.see("/")).toMatchObject([seen]);
    expect(await reader.see("/@writer")).toMatchObject([seen]);
    expect(await world.visitor().see("/explore")).toMatchObject([seen]);
    expect(await world.visitor().see("/")).toMatchObject([seen]);
  });

  it("a follow shows earlier tweets, and an unfollow hides them", async () => {
    const author = await world.newcomer("author");
    await author.tweet("from before");
    const latecomer = await world.newcomer("latecomer");
    await latecomer.follow("author");
    expect(await latecomer.see("/")).toMatchObject([{ text: "from before" }]);

    await latecomer.unfollow("author");
    await author.tweet("from after");
    await world.delivered();
    expect(await latecomer.see("/")).toEqual([]);
  });

  it("followers and followings are listed newest first, and counted", async () => {
    const star = await world.newcomer("star");
    for (const name of ["fan1", "fan2"]) await (await world.newcomer(name)).follow("star");
    await star.follow("fan1");

    const followers = await star.get("/@star/followers").expect(200);
    expect(peopleOn(followers.text)).toEqual(["fan2", "fan1"]);
    const followings = await star.get("/@star/followings").expect(200);
    expect(peopleOn(followings.text)).toEqual(["fan1"]);
    const { text } = await star.get("/@star").expect(200);
    expect(text.replaceAll(/<[^>]+>/g, " ")).toMatch(/1 +Following +2 +Followers/);
  });

  it("a user logs out and in again, in any case of the name", async () => {
    const person = await world.newcomer("Casey");
    await person.post("/logout").expect(303);
    await person.get("/settings/profile").expect(303);
    await person.logIn("cASEY");
    await person.get("/settings/profile").expect(200);
  });

  it("logging in leads back to the page that required it", async () => {
    const visitor = world.visitor();
    const away = await visitor.get("/settings/account").expect(303);
    expect(away.headers["location"]).toBe("/login?next=%2Fsettings%2Faccount");
    await world.newcomer("returner");
    const page = await visitor.get("/login?next=%2Fsettings%2Faccount").expect(200);
    expect(page.text).toContain('name="next" value="/settings/account"');
    const fields = { name: "returner", password: "correct horse 42", next: "/settings/account" };
    const back = await visitor.post("/login", fields).expect(303);
    expect(back.headers["location"]).toBe("/settings/account");
  });

  it("a refused form comes back as typed with a message, and changes nothing", async () => {
    const person = await world.newcomer("clumsy");
    const long = `${"雀".repeat(281)}<`;
    const refused = await person.post("/tweets", { text: long }).expect(422);
    expect(alertsOn(refused.text)).toEqual(["Tweets can have at most 280 characters."]);
    expect(refused.text).toContain(`${"雀".repeat(281)}&lt;</textarea>`);
    for (const text of ["", "  \n ", "\u200b\u3164"])
      await person.post("/tweets", { text }).expect(422);
    expect(await person.see("/@clumsy")).toEqual([]);
    await person.post("/tweets", { text: "👨‍👩‍👧".repeat(280) }).expect(303);
  });

  it("a refused sign-up has a message for each field", async () => {
    const fields = { name: "no spaces", fullname: " ", password: "short" };
    const refused = await world.visitor().post("/signup", fields).expect(422);
    expect(alertsOn(refused.text)).toHaveLength(3);
    expect(refused.text).toContain('value="no spaces"');
    expect(refused.text).not.toContain('short"');
  });

  it("a form submitted twice makes one tweet, two forms make two", async () => {
    const person = await world.newcomer("twice");
    const fields = { text: "once", nonce: "a-nonce-of-the-page" };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => person.post("/tweets", fields)),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([303]));
    await person.tweet("once");
    await world.delivered();
    expect(await person.see("/@twice")).toHaveLength(2);
    // Going back, writing something else and submitting again loses nothing.
    await person.post("/tweets", { ...fields, text: "something else" }).expect(303);
    expect(await person.see("/@twice")).toHaveLength(3);
  });

  it("of two simultaneous sign-ups with one name one succeeds", async () => {
    const fields = { fullname: "Contender", password: "correct horse 42" };
    const answers = await Promise.all(
      ["Contended", "contended", "CONTENDED"].map((name) =>
        world.visitor().post("/signup", { name, ...fields }),
      ),
    );
    expect(answers.filter((answer) => answer.status === 303)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 422)).toHaveLength(2);
    const loser = answers.find((answer) => answer.status === 422);
    expect(alertsOn(loser?.text ?? "")).toEqual(["That name is taken. Please choose another."]);
  });

  it("deleting a tweet removes it everywhere at once", async () => {
    const author = await world.newcomer("regretful");
    const friend = await world.newcomer("friend");
    await friend.follow("regretful");
    await author.tweet("kept");
    await author.tweet("regretted");
    await world.delivered();
    const [regretted] = await author.see("/@regretful");
    await author.post(`/tweets/${regretted?.id}/delete`).expect(303);
    await author.get(`/tweets/${regretted?.id}`).expect(404);
    for (const [visitor, path] of [
      [friend, "/"],
      [author, "/"],
      [author, "/@regretful"],
    ] as const)
      expect(await visitor.see(path)).toMatchObject([{ text: "kept" }]);
    const { text } = await world.visitor().get("/explore");
    expect(tweetsOn(text).map((tweet) => tweet.text)).not.toContain("regretted");
  });
});
