import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keys } from "../../src/redis/keys.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { alertsOn, hiddenFields, tweetsOn, withoutSide } from "../support/inspect/page.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** The values of a select on a page, the chosen one with a star. */
const choicesOn = (html: string, name: string): string[] => {
  const select = new RegExp(`<select name="${name}".*?</select>`, "s").exec(html)?.[0] ?? "";
  return [...select.matchAll(/<option value="(\w+)"( selected)?/g)].map(
    ([, value = "", chosen]) => `${value}${chosen === undefined ? "" : "*"}`,
  );
};

const edit = async (by: Visitor, url: string, typed: Record<string, string>) => {
  const { text: page } = await by.get(`${url}/edit`).expect(200);
  return await by.post(`${url}/edit`, { ...hiddenFields(page, `${url}/edit`), ...typed });
};

describe("whom a tweet is for", () => {
  let world: World;
  let ann: Visitor;
  let bob: Visitor;
  let eve: Visitor;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "https://birds.example" });
    ann = await world.newcomer("ann");
    bob = await world.newcomer("bob");
    eve = await world.newcomer("eve");
    await bob.follow("ann");
  });
  afterAll(() => closeChecked(world));

  const write = async (by: Visitor, text: string, further: Record<string, string>) => {
    await by.tweet(text, further);
    await world.delivered();
    const id = await world.ctx.redis.get(keys.tweetIds);
    return `/tweets/${id}`;
  };
  const answer = async (by: Visitor, url: string, typed: Record<string, string>) => {
    const { text: page } = await by.get(url).expect(200);
    await by.post("/tweets", { ...hiddenFields(page, "/tweets"), ...typed }).expect(303);
    await world.delivered();
    return `/tweets/${await world.ctx.redis.get(keys.tweetIds)}`;
  };
  it("the composer offers every audience, and a tweet for followers says so beside its time", async () => {
    const { text: home } = await ann.get("/").expect(200);
    const audiences = ["public*", "unlisted", "followers", "mentioned"];
    expect(choicesOn(home, "audience")).toEqual(audiences);
    expect(choicesOn(home, "replies_from")).toEqual(["everyone*", "followed", "mentioned"]);
    const url = await write(ann, "for my followers", { audience: "followers" });
    for (const path of ["/", url]) {
      const { text: page } = await bob.get(path).expect(200);
      expect(page).toContain("for my followers");
      expect(page).toMatch(/class="tweet-audience"[^>]*>Followers</);
    }
    const japanese = await bob.get(url).set("Accept-Language", "ja");
    expect(japanese.text).toMatch(/class="tweet-audience"[^>]*>フォロワー</);
    await eve.get(url).expect(404);
    await world.visitor().get(url).expect(404);
  });

  it("what is not for everyone has no buttons to retweet and quote, but its author may retweet it", async () => {
    const url = await write(ann, "no buttons", { audience: "followers" });
    const { text: page } = await bob.get(url).expect(200);
    expect(page).not.toContain(`${url}/retweet`);
    expect(page).not.toContain('class="quoting"');
    expect((await ann.get(url)).text).toContain(`${url}/retweet`);
    const open = await write(ann, "with buttons", { audience: "unlisted" });
    const { text: other } = await bob.get(open).expect(200);
    expect(other).toContain(`${open}/retweet`);
    expect(other).toMatch(/class="tweet-audience"[^>]*>Everyone, not listed</);
  });

  it("a reply offers what it may be, and says before what it inherits", async () => {
    const url = await write(ann, "answer me", { audience: "followers" });
    const { text: page } = await bob.get(url).expect(200);
    expect(choicesOn(page, "audience")).toEqual(["followers*", "mentioned"]);
    expect(page).toContain("You are answering a tweet for followers.");
    const message = await write(ann, "hush @bob", { audience: "mentioned" });
    const { text: hushed } = await bob.get(message).expect(200);
    expect(hushed).toContain("Only @ann can see your reply.");
    expect(choicesOn(hushed, "audience")).toEqual([]);
    expect(hushed).toMatch(/class="tweet-audience"[^>]*>Only @bob</);
    const reply = await answer(bob, message, { text: "what?", audience: "public" });
    await ann.get(reply).expect(200);
    await eve.get(reply).expect(404);
  });

  it("a public reply to a hidden tweet names neither its author nor its text", async () => {
    const url = await write(ann, "in the family", { audience: "followers" });
    const narrow = await answer(bob, url, { text: "among ourselves", audience: "followers" });
    await eve.follow("bob");
    const page = withoutSide((await eve.get(narrow).expect(200)).text);
    expect(page).toContain("A tweet that is not shown to you.");
    expect(page).toContain("Replying to a tweet that is not shown to you");
    expect(page).not.toContain("@ann");
    expect(page).not.toContain("in the family");
    expect((await bob.get(narrow)).text).toContain("in the family");
    await eve.unfollow("bob");
  });

  it("replies are for those whom the author has chosen", async () => {
    const url = await write(ann, "only those I follow", { replies_from: "followed" });
    const { text: page } = await bob.get(url).expect(200);
    expect(page).toContain("@ann has limited who can reply.");
    expect(page).not.toContain('action="/tweets"');
    const refused = await bob.post("/tweets", { text: "still", reply_to: url.slice(8) });
    expect(refused.status).toBe(422);
    await ann.follow("bob");
    expect((await bob.get(url)).text).toContain('action="/tweets"');
    await ann.unfollow("bob");
  });

  it("a limit of a conversation is said before a reply is written, and names nobody", async () => {
    const url = await write(ann, "@bob only you", { replies_from: "mentioned" });
    const said = "Not everyone can reply in this conversation.";
    const { text: composer } = await bob.get(url).expect(200);
    expect(composer).toContain(`${said} That holds for answers to your reply, too.`);
    const reply = await answer(bob, url, { text: "yes" });
    const { text: page } = await eve.get(reply).expect(200);
    expect(page).toContain(said);
    expect(page).not.toContain("has limited who can reply");
    expect(page).not.toContain('action="/tweets"');
    const refused = await eve.post("/tweets", { text: "still", reply_to: reply.slice(8) });
    expect(refused.status).toBe(422);
    expect(alertsOn(refused.text).join()).toContain("Not everyone may reply in this conversation.");
    const draft = await bob.post("/drafts", { text: "later", reply_to: url.slice(8) }).expect(303);
    const { text: kept } = await bob.get(draft.headers["location"] ?? "").expect(200);
    expect(kept).toContain(said);
  });

  it("a message to names that nobody has keeps its text", async () => {
    const typed = { text: "@nobody_here psst", audience: "mentioned" };
    const refused = await ann.post("/tweets", typed);
    expect(refused.status).toBe(422);
    expect(alertsOn(refused.text).join()).toContain("Nobody here has that name");
    expect(refused.text).toContain("@nobody_here psst");
  });

  it("an edit narrows: the tweet leaves explore, its tag and the view of strangers", async () => {
    const url = await write(ann, "too loud #narrow", {});
    expect((await eve.see("/explore")).map(({ text }) => text)).toContain("too loud #narrow");
    const { text: editor } = await ann.get(`${url}/edit`).expect(200);
    expect(choicesOn(editor, "audience")).toEqual(["public*", "unlisted", "followers"]);
    const typed = { text: "too loud #narrow" };
    expect((await edit(ann, url, { ...typed, audience: "unlisted" })).status).toBe(303);
    await eve.get(url).expect(200);
    expect((await eve.see("/explore")).map(({ text }) => text)).not.toContain("too loud #narrow");
    expect(await world.ctx.redis.zcard(keys.tag("narrow"))).toBe(0);
    expect((await eve.get("/explore")).text).not.toContain("narrow");
    expect((await edit(ann, url, { ...typed, audience: "followers" })).status).toBe(303);
    await eve.get(url).expect(404);
    await bob.get(url).expect(200);
    const wider = await edit(ann, url, { ...typed, audience: "public" });
    expect(wider.status).toBe(422);
    expect(alertsOn(wider.text).join()).toContain("An edit can only show a tweet to fewer people");
    const message = await edit(ann, url, { ...typed, audience: "mentioned" });
    expect(message.status).toBe(422);
  });

  it("a narrowed reply is not counted any more", async () => {
    const url = await write(ann, "count me", {});
    const reply = await answer(bob, url, { text: "one" });
    const counted = async () =>
      await world.ctx.redis.hget(keys.tweet(url.slice(8) as never), "replies");
    expect(await counted()).toBe("1");
    await edit(bob, reply, { text: "one", audience: "followers" });
    expect(await counted()).toBe("0");
    expect(tweetsOn((await ann.get(url)).text).map(({ text }) => text)).toContain("one");
    expect(tweetsOn((await eve.get(url)).text).map(({ text }) => text)).not.toContain("one");
  });

  it("the default of an account is chosen in its composer", async () => {
    const { id } = await getUserByName(world.ctx, "ann");
    await world.ctx.redis.hset(keys.user(id), "audience", "followers", "replies_from", "followed");
    const { text: home } = await ann.get("/").expect(200);
    expect(choicesOn(home, "audience")).toContain("followers*");
    expect(choicesOn(home, "replies_from")).toContain("followed*");
    const url = await write(ann, "by default", {});
    await eve.get(url).expect(404);
    await world.ctx.redis.hset(keys.user(id), "protected", "1");
    expect(choicesOn((await ann.get("/")).text, "audience")).toEqual(["followers*", "mentioned"]);
    await world.ctx.redis.hdel(keys.user(id), "audience", "replies_from", "protected");
  });

  it("link previews, oEmbed and feeds know only what is for everyone", async () => {
    const url = await write(ann, "not for feeds", { audience: "unlisted" });
    const feed = await world.visitor().get("/@ann.json").expect(200);
    expect(feed.text).not.toContain("not for feeds");
    const { headers } = await world.visitor().get(url).expect(200);
    expect(headers["x-robots-tag"]).toBe("noindex");
    const closed = await write(ann, "no embeds", { audience: "followers" });
    const address = encodeURIComponent(`https://birds.example${closed}`);
    await world.visitor().get(`/oembed?url=${address}`).expect(404);
    expect((await bob.get(closed)).text).not.toContain("/oembed?");
  });
});
