import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notificationsAfter } from "../../src/domain/notifications/store.ts";
import { openPushScene, type PushScene } from "../push/push-scene.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { alertsOn, hiddenFields, tweetsOn } from "../support/inspect/page.ts";
import { closeChecked } from "../support/world/doctor.ts";

const pageOf = async (visitor: Visitor, at: string) => (await visitor.get(at).expect(200)).text;
const begin = async (visitor: Visitor, to: string) =>
  (await visitor.post("/messages/new", { to }).expect(303)).headers["location"] ?? "";

const badgeOf = async (visitor: Visitor) => {
  const entry = /<a[^>]*href="\/messages".*?<\/a>/s.exec(await pageOf(visitor, "/explore"))?.[0];
  return /main-nav-badge">([^<]*)</.exec(entry ?? "")?.[1] ?? "";
};
const rowsOf = async (visitor: Visitor, at = "/messages") =>
  [...(await pageOf(visitor, at)).matchAll(/class="conversation" href="([^"]*)"/g)].map(
    ([, href]) => href,
  );

/** Everything by forms and links, as a browser without scripts does it. */
describe("a message between three people", () => {
  let scene: PushScene;
  let ann: Visitor;
  let bob: Visitor;
  let cat: Visitor;
  let stranger: Visitor;
  let path = "";
  beforeAll(async () => {
    scene = await openPushScene();
    const { world } = scene;
    [ann, bob] = [await world.newcomer("ann"), await world.newcomer("bob")];
    [cat, stranger] = [await world.newcomer("cat", "ja"), await world.newcomer("stranger")];
  });
  afterAll(async () => {
    await closeChecked(scene.world);
    await scene.service.close();
  });

  const write = async (visitor: Visitor, at: string, text: string) => {
    const hidden = hiddenFields(await pageOf(visitor, at), at);
    const answer = await visitor.post(at, { ...hidden, text }).expect(303);
    await scene.world.delivered();
    return answer.headers["location"] ?? "";
  };
  it("a conversation begins with names, and its first message reaches all of its people", async () => {
    const phone = await scene.turnOn(bob, ["mention"]);
    path = await begin(ann, "@bob, Cat");
    expect(path).toMatch(/^\/messages\/\d+-\d+-\d+$/);
    expect(await write(ann, path, "Shall we meet at the pond?")).toBe(path);
    for (const visitor of [bob, cat]) {
      expect(await badgeOf(visitor)).toBe("1");
      expect(await rowsOf(visitor)).toEqual([path]);
    }
    expect(await badgeOf(ann)).toBe("");
    const [push] = await scene.service.textsOf(phone, 1);
    expect(push).toMatchObject({ title: "A message from @ann", body: "", path });
    expect(JSON.stringify(push)).not.toContain("pond");
  });

  it("a like of a message is pushed as a like, without its text", async () => {
    const [message] = await ann.see(path);
    const phone = await scene.turnOn(ann, ["favourite"]);
    await bob.post(`/tweets/${message?.id}/like`).expect(303);
    const [push] = await scene.service.textsOf(phone, 1);
    expect(push).toMatchObject({ title: "Test bob liked your tweet", body: "", path });
  });

  it("looking at a conversation marks it as read, and it is answered there", async () => {
    const page = await pageOf(bob, path);
    expect(tweetsOn(page).map(({ text }) => text)).toEqual(["Shall we meet at the pond?"]);
    expect(page).toContain("@cat");
    expect(await badgeOf(bob)).toBe("");
    await write(bob, path, "Gladly, at noon");
    expect(await badgeOf(ann)).toBe("1");
    const seen = (await cat.see(path)).map(({ text }) => text);
    expect(seen).toEqual(["Gladly, at noon", "Shall we meet at the pond?"]);
    expect(await pageOf(cat, "/messages")).toContain("新しいメッセージ");
  });

  it("the same form sent twice makes one message", async () => {
    const fields = { ...hiddenFields(await pageOf(ann, path), path), text: "Noon it is" };
    for (let times = 0; times < 2; times += 1) await ann.post(path, fields).expect(303);
    await scene.world.delivered();
    const texts = (await bob.see(path)).map(({ text }) => text);
    expect(texts.filter((text) => text === "Noon it is")).toHaveLength(1);
  });

  it("a user who wants texts in pushes gets them", async () => {
    const { id } = await scene.userOf("cat");
    await scene.world.ctx.redis.hset(`user:${id}`, "message_texts", "1");
    const phone = await scene.turnOn(cat, ["mention"]);
    await write(ann, path, "Bring bread");
    const [push] = await scene.service.textsOf(phone, 1);
    expect(push).toMatchObject({ body: "Bring bread", path });
  });

  it("no other user sees a message: no list, no page, no address", async () => {
    const [message] = await ann.see(path);
    for (const visitor of [stranger, scene.world.visitor()]) {
      for (const list of ["/@ann", "/@ann/replies", "/explore", "/search?q=bread"])
        expect(await pageOf(visitor, list)).not.toContain("Bring bread");
      await visitor.get(`/tweets/${message?.id}`).expect(404);
    }
    await stranger.get(path).expect(404);
    await scene.world.visitor().get(path).expect(303);
    for (const list of ["/", "/@ann", "/explore", "/notifications"])
      expect(await pageOf(bob, list)).not.toContain("Bring bread");
  });

  it("names that are wrong, too many or of someone who blocks are refused, and stay typed", async () => {
    await stranger.post("/@cat/block").expect(303);
    const many = Array.from({ length: 20 }, (_, nth) => `@bird${nth}`).join(" ");
    for (const [visitor, to, sentence] of [
      [ann, "@nobody", "There is no user with one of these names."],
      [cat, "@stranger", "ブロックされている相手"],
      [ann, many, "A message goes to at most 19 other people."],
      [ann, " , ", "Please fill in this field."],
    ] as const) {
      const { text } = await visitor.post("/messages/new", { to }).expect(422);
      expect(alertsOn(text).join(" ")).toContain(sentence);
      expect(text).toContain(`value="${to}"`);
    }
    await stranger.post("/@cat/unblock").expect(303);
  });

  it("a stranger's message is a request, which is accepted or declined", async () => {
    const { id } = await scene.userOf("ann");
    await scene.world.ctx.redis.hset(`user:${id}`, "messages_from", "followed");
    const request = await begin(stranger, "ann");
    await write(stranger, request, "Buy my seeds");
    expect(await rowsOf(ann)).toEqual([path]);
    expect(await pageOf(ann, "/messages")).toContain('href="/messages/requests"');
    expect(await rowsOf(ann, "/messages/requests")).toEqual([request]);
    await ann.post(`${request}/leave`).expect(303);
    await write(stranger, request, "Last offer");
    expect(await rowsOf(ann)).toEqual([path]);
    expect(await rowsOf(ann, "/messages/requests")).toEqual([]);
    await ann.post(`${request}/accept`).expect(303);
    expect(await rowsOf(ann)).toContain(request);
  });

  it("who leaves hears no more, and comes back by writing", async () => {
    await cat.get(path).expect(200);
    await cat.post(`${path}/leave`).expect(303);
    await write(bob, path, "Where is cat?");
    expect(await rowsOf(cat)).toEqual([]);
    expect(await badgeOf(cat)).toBe("");
    expect(await pageOf(cat, path)).toContain(`action="${path}/accept"`);
    await write(cat, path, "ここだよ");
    expect(await rowsOf(cat)).toEqual([path]);
  });

  it("messages that were seen leave the list of notifications, and make room there", async () => {
    await stranger.post("/@bob/follow").expect(303);
    await write(ann, path, "Still there?");
    const { id } = await scene.userOf("bob");
    const kinds = async () =>
      (await notificationsAfter(scene.world.ctx, id, 0)).map(({ kind }) => kind);
    expect(await kinds()).toContain("mention");
    await bob.get(path).expect(200);
    expect(await kinds()).toEqual(["follow"]);
  });

  it("a picture is sent with a message", async () => {
    const hidden = hiddenFields(await pageOf(ann, path), path);
    const form = ann.agent.post(path);
    for (const [name, value] of Object.entries({ ...hidden, text: "" })) form.field(name, value);
    const { photo } = await import("../support/data/pictures.ts");
    await form.attach("pictures", await photo(), "pond.jpg").expect(303);
    expect(await pageOf(bob, path)).toContain("<img");
    expect(await pageOf(cat, "/messages")).toContain("画像");
  });
});
