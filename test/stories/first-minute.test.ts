import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { picture } from "../support/data/pictures.ts";
import {
  alertsOn,
  avatarOn,
  hiddenFields,
  peopleOn,
  typedFields,
  withoutSide,
} from "../support/inspect/page.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { getUserByName } from "../../src/domain/users/store.ts";

const minute = 60_000;

describe("the first minute", () => {
  let world: World;
  let ann: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["ann"] });
    ann = await world.newcomer("ann");
    await ann.post("/settings/profile", { fullname: "Ann", bio: "Keeps the keys" }).expect(303);
    const star = await world.newcomer("star");
    await star.post("/settings/profile", { fullname: "Star", bio: "Sings <loudly>" }).expect(303);
    await star.tweet("A song #morning");
    for (const name of ["fan1", "fan2"]) {
      const fan = await world.newcomer(name);
      await fan.follow("star");
      await fan.tweet("Bravo #morning");
    }
    await world.newcomer("silent");
    await world.delivered();
    world.pass(2 * minute);
  });
  afterAll(() => closeChecked(world));

  const signUp = async (name: string, fields: Record<string, string> = {}) => {
    const visitor = world.visitor();
    const all = { name, fullname: `Test ${name}`, password, ...fields };
    const { headers } = await visitor.post("/signup", all).expect(303);
    return { visitor, location: headers["location"] ?? "" };
  };

  it("an invited user takes all steps: profile, people with their inviter first, a tweet", async () => {
    const made = await ann.post("/settings/invitations", { uses: "1", days: "7", note: "" });
    const [, invitation = ""] = /\/signup\?invitation=([\w.-]+)/.exec(made.text) ?? [];
    const { visitor, location } = await signUp("bob", { invitation });
    expect(location).toBe("/start?by=ann");

    const about = await visitor.get(location).expect(200);
    expect(about.text).toContain("Step 1 of 3");
    const before = avatarOn(about.text);
    const sent = visitor.agent.post(formOn(about.text)).field("bio", "I am Bob");
    const saved = await sent.attach("avatar", await picture("png"), "me.png").expect(303);
    expect(saved.headers["location"]).toBe("/start/people?by=ann");
    const profile = await visitor.get("/@bob").expect(200);
    expect(profile.text).toContain("I am Bob");
    expect(avatarOn(profile.text)).not.toBe(before);

    const people = await visitor.get("/start/people?by=ann").expect(200);
    expect(peopleOn(people.text).slice(0, 2)).toEqual(["ann", "star"]);
    expect(peopleOn(people.text)).toEqual(expect.arrayContaining(["fan1", "fan2", "silent"]));
    expect(peopleOn(people.text)).not.toContain("bob");
    expect(people.text).toContain("Keeps the keys");
    expect(people.text).toContain("Sings &lt;loudly&gt;");
    const fields = hiddenFields(people.text, "/@star/follow");
    const followed = await visitor.post("/@star/follow", fields).expect(303);
    // Back where the button is, with the same people.
    expect(followed.headers["location"]).toBe("/start/people?by=ann");
    const again = await visitor.get("/start/people?by=ann").expect(200);
    expect(peopleOn(again.text)).toEqual(peopleOn(people.text));
    expect(again.text).toContain('action="/@star/unfollow"');

    const last = linkOn(again.text, "Continue");
    const { text: composing } = await visitor.get(last).expect(200);
    const tweet = { ...hiddenFields(composing, "/tweets"), text: "Hello" };
    await visitor.post("/tweets", tweet).expect(303);
    await world.delivered();
    const texts = (await visitor.see("/")).map(({ text }) => text);
    expect(texts).toEqual(["Hello", expect.stringContaining("A song")]);
  });

  it("each step can be skipped, and nothing is written", async () => {
    const { visitor, location } = await signUp("hasty");
    let path = location;
    const walked: string[] = [];
    for (const link of ["Skip", "Continue", "Skip"]) {
      walked.push(path);
      path = linkOn((await visitor.get(path).expect(200)).text, link);
    }
    expect(walked).toEqual(["/start", "/start/people", "/start/tweet"]);
    expect(path).toBe("/");
    expect(await visitor.see("/@hasty")).toEqual([]);
  });

  it("a user on the way to a page gets there after the sign-up, without the steps", async () => {
    const { location } = await signUp("guest", { next: "/@star" });
    expect(location).toBe("/@star");
  });

  it("a line that is too long comes back as typed, and so does a file that is no picture", async () => {
    const { visitor } = await signUp("wordy");
    const bio = "long ".repeat(40).trim();
    const long = await visitor.post("/start", { bio }).expect(422);
    expect(typedFields(long.text, "/start")["bio"]).toBe(bio);
    expect(alertsOn(long.text)).toHaveLength(1);
    const form = visitor.agent.post("/start").field("bio", "Short");
    const wrong = await form.attach("avatar", Buffer.from("no picture"), "me.png").expect(422);
    expect(alertsOn(wrong.text)).toHaveLength(1);
    expect(typedFields(wrong.text, "/start")["bio"]).toBe("Short");
  });

  it("the steps lead strangers to the log-in page, and an address names nobody but users", async () => {
    for (const path of ["/start", "/start/people", "/start/tweet"]) {
      const { headers } = await world.visitor().get(path).expect(303);
      expect(headers["location"]).toBe(`/login?next=${encodeURIComponent(path)}`);
    }
    const odd = encodeURIComponent('"><b>');
    const { text } = await ann.get(`/start?by=${odd}`).expect(200);
    expect(linkOn(text, "Skip")).toBe("/start/people");
  });

  it("an empty home leads to explore, people and the first tweet, and shows people with bios", async () => {
    const { visitor } = await signUp("lonely");
    const { text } = await visitor.get("/").expect(200);
    const main = withoutSide(text);
    for (const path of ["/explore", "/search?people=1", "/start", "#text"])
      expect(main).toContain(`href="${path}"`);
    expect(peopleOn(main)[0]).toBe("star");
    expect(main).toContain("Sings &lt;loudly&gt;");
  });

  it("a home with own tweets only shows people below them, until one by another is there", async () => {
    const { visitor } = await signUp("first_words");
    await visitor.tweet("Is anybody here?");
    const main = withoutSide((await visitor.get("/").expect(200)).text);
    expect(main).toContain("Is anybody here?");
    expect(peopleOn(main)[0]).toBe("star");
    expect(main).not.toContain('href="#text"');
    await visitor.follow("star");
    await world.delivered();
    const lively = withoutSide((await visitor.get("/").expect(200)).text);
    expect(lively).toContain("A song");
    expect(lively).not.toContain("It is quiet here");
    // An older page of a lively home may have own tweets only.
    const { id } = await getUserByName(world.ctx, "first_words");
    const then = { ...world.ctx, now: () => world.ctx.now() - 60 * 24 * 60 * minute };
    await postTweet(then, id, { text: "Long ago" });
    const older = await visitor.get(`/?before=${(then.now() + 1000) * 1000}`).expect(200);
    expect(older.text).toContain("Long ago");
    expect(older.text).not.toContain("It is quiet here");
  });

  it("a new follower can be followed back among the notifications", async () => {
    const { visitor: fresh } = await signUp("fresh");
    await fresh.follow("silent");
    await world.delivered();
    const silent = world.visitor();
    await silent.logIn("silent");
    const { text } = await silent.get("/notifications").expect(200);
    expect(text).toMatch(/Follow back<span> @fresh/);
    const fields = hiddenFields(text, "/@fresh/follow");
    const { headers } = await silent.post("/@fresh/follow", fields).expect(303);
    expect(headers["location"]).toBe("/notifications");
    const after = await silent.get("/notifications").expect(200);
    expect(withoutSide(after.text)).not.toContain("Follow back");
    expect((await silent.get("/@fresh")).text).toContain('action="/@fresh/unfollow"');
  });

  it("the start page shows strangers what goes on, and nothing of a site for members", async () => {
    for (const [language, heading] of [
      ["en", "Trending"],
      ["ja", "話題のハッシュタグ"],
    ] as const) {
      const { text } = await world.visitor(language).get("/").expect(200);
      expect(withoutSide(text)).toContain(heading);
      expect(withoutSide(text)).toContain('href="/tags/morning"');
      expect(text).toContain("A song");
    }
    await ann.post("/admin/site", { signUp: "open", read: "members" }).expect(303);
    const closed = await world.visitor().get("/");
    expect([closed.status, closed.headers["location"]]).toEqual([303, "/login?next=%2F"]);
    expect(closed.text).not.toMatch(/A song|morning|star/);
    await ann.post("/admin/site", { signUp: "open", read: "public" }).expect(303);
  });
});

/** Where the link with this text leads. */
function linkOn(html: string, text: string): string {
  const links = [...html.matchAll(/<a[^>]*href="([^"]*)"[^>]*>([^<]*)<\/a>/g)];
  return links.find(([, , label]) => label === text)?.[1] ?? "";
}

/** Address of the form with files. */
function formOn(html: string): string {
  return /<form[^>]*action="([^"]*)" enctype="multipart/.exec(html)?.[1] ?? "";
}
