import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reconcileUpload } from "../../src/domain/actions/attach-pictures.ts";
import { saveDraft } from "../../src/domain/actions/save-draft.ts";
import { sendDueDrafts } from "../../src/domain/actions/send-draft.ts";
import type { UploadId, UserId } from "../../src/domain/ids.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { localTime } from "../../src/domain/users/time-zone.ts";
import { keys } from "../../src/redis/keys.ts";
import { sources } from "../support/actors/composer.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { picture as draw } from "../support/data/pictures.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { closeChecked, runDoctor } from "../support/world/doctor.ts";
import { nextDue } from "../../src/domain/tweets/saved-drafts.ts";
import { createWorld, type World } from "../support/world/world.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** Sends the composer of the home page by its button for drafts; resolves to the page of the draft. */
async function save(visitor: Visitor, fields: Record<string, string>, picture?: Buffer) {
  const { text: page } = await visitor.get("/").expect(200);
  const form = visitor.agent.post("/drafts");
  for (const [name, value] of Object.entries({ ...hiddenFields(page, "/tweets"), ...fields }))
    form.field(name, value);
  if (picture !== undefined) form.attach("pictures", picture, "picture.jpg");
  const { headers } = await form.expect(303);
  return String(headers["location"]).replace("?saved", "");
}

let world: World;

async function newAuthor(name: string, language?: "ja") {
  const visitor = await world.newcomer(name, language);
  return { visitor, id: (await getUserByName(world.ctx, name)).id };
}

async function textsOf(user: UserId): Promise<(string | null)[]> {
  const ids = await world.ctx.redis.zrange(keys.userTimeline(user), 0, "-1");
  return await Promise.all(ids.map((id) => world.ctx.redis.hget(`tweet:${id}`, "text")));
}

const soon = (zone = "UTC", ahead = hour) => localTime(world.ctx.now() + ahead, zone);

describe("drafts with pictures", () => {
  beforeAll(async () => {
    world = await createWorld({ pictureMilliseconds: 20_000 });
  });
  afterAll(() => closeChecked(world));

  it("a draft with a picture is saved, continued and sent", async () => {
    const { visitor, id } = await newAuthor("ann");
    const typed = { text: "first words", warning: "spiders", description_1: "a spider" };
    const path = await save(visitor, typed, await draw("jpeg"));
    const list = await visitor.get("/drafts").expect(200);
    expect(list.text).toContain("first words");
    const page = await visitor.get(`${path}?saved`).expect(200);
    expect(page.text).toContain("Saved.");
    for (const value of ["first words", "spiders", "a spider"]) expect(page.text).toContain(value);
    const [, upload = ""] = /name="uploads" value="([0-9a-f]+)"/.exec(page.text) ?? [];
    const kept = { uploads: upload, description_1: "a spider" };
    const more = { text: "first words, and more", warning: "spiders", ...kept };
    await visitor.post(path, more).expect(303);
    expect(await textsOf(id)).toEqual([]);
    const { headers } = await visitor.post(path, { ...more, do: "send" }).expect(303);
    const tweet = await visitor.get(String(headers["location"])).expect(200);
    expect(tweet.text).toContain("first words, and more");
    expect(sources(tweet.text)).not.toEqual([]);
    await visitor.get(path).expect(404);
    expect((await visitor.get("/drafts").expect(200)).text).toContain("You have no drafts.");
  });

  it("a picture waits with its draft for longer than an upload, and goes with it", async () => {
    const { visitor, id: user } = await newAuthor("bea");
    const path = await save(visitor, { text: "with a picture" }, await draw("jpeg"));
    const fields = await world.ctx.redis.hkeys(keys.uploads(user));
    const upload = fields.find((field) => !field.includes(":"));
    const later = { ...world.ctx, now: () => world.ctx.now() + 2 * day };
    await reconcileUpload(later, { user, upload: upload as UploadId });
    expect(await world.ctx.redis.hlen(keys.uploads(user))).toBe(0);
    const [src = ""] = sources((await visitor.get("/drafts").expect(200)).text);
    await visitor.get(src).expect(200);
    await visitor.post(`${path}/delete`).expect(303);
    await visitor.get(src).expect(404);
    expect(await world.ctx.redis.hlen(keys.uploads(user))).toBe(0);
  });
});

describe("drafts", () => {
  beforeAll(async () => {
    // Workers would send what is due, too.
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => closeChecked(world, { workers: false }));

  it("a draft is sent at its time, in the time zone of its author", async () => {
    const { visitor, id } = await newAuthor("cid");
    await visitor.post("/drafts/time-zone", { zone: "Asia/Tokyo" }).expect(303);
    const path = await save(visitor, { text: "good morning" });
    const when = soon("Asia/Tokyo");
    await visitor.post(path, { text: "good morning", when, do: "schedule" }).expect(303);
    expect((await visitor.get("/drafts").expect(200)).text).toContain("Will be sent");
    expect((await visitor.get(path).expect(200)).text).toContain(`value="${when}"`);
    await sendDueDrafts(world.ctx);
    expect(await textsOf(id)).toEqual([]);
    world.pass(hour);
    await sendDueDrafts(world.ctx);
    expect(await textsOf(id)).toEqual(["good morning"]);
    world.pass(hour);
    await sendDueDrafts(world.ctx);
    expect(await textsOf(id)).toEqual(["good morning"]);
    expect(await world.ctx.redis.zscore(keys.dueDrafts, id)).toBeNull();
  });

  it("a wrong time is refused beside its field, and nothing that was typed is lost", async () => {
    const { visitor } = await newAuthor("dan");
    const path = await save(visitor, { text: "words" });
    const sentences = {
      "": "Please give a day and a time.",
      [soon("UTC", -hour)]: "This time has passed.",
      [soon("UTC", 400 * day)]: "This must be at most a year ahead.",
    };
    for (const [when, sentence] of Object.entries(sentences)) {
      const refused = await visitor.post(path, { text: "other words", when, do: "schedule" });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain(sentence);
      expect(refused.text).toContain("other words");
    }
    await visitor.post("/drafts/time-zone", { zone: "Mars/Olympus" }).expect(422);
  });

  it("a draft that cannot be saved is shown again in the composer it came from", async () => {
    const { visitor } = await newAuthor("eve");
    expect((await visitor.get("/").expect(200)).text).toContain('formaction="/drafts"');
    const long = "x".repeat(2001);
    const refused = await visitor.post("/drafts", { text: long }).expect(422);
    expect(refused.text).toContain("A draft has at most 2,000 characters.");
    expect(refused.text).toContain(long);
  });

  it("a text for a draft that another device has sent is kept, in the composer of a new tweet", async () => {
    const { visitor, id } = await newAuthor("two");
    const path = await save(visitor, { text: "first words" });
    await visitor.post(`${path}/send`).expect(303);
    for (const verb of ["save", "send"]) {
      const page = await visitor.post(path, { text: "longer words", do: verb }).expect(422);
      for (const part of ["This draft is gone", "longer words"]) expect(page.text).toContain(part);
      expect(Object.keys(hiddenFields(page.text, "/tweets"))).toContain("nonce");
    }
    expect(await textsOf(id)).toEqual(["first words"]);
  });

  it("a suspended author sends nothing", async () => {
    const { visitor, id } = await newAuthor("hal");
    const at = world.ctx.now() + hour;
    await saveDraft(world.ctx, id, { text: "too late", at });
    await world.ctx.redis.hset(keys.user(id), { suspended_at: "1" });
    world.pass(hour);
    await sendDueDrafts(world.ctx);
    await world.ctx.redis.hdel(keys.user(id), "suspended_at");
    expect(await textsOf(id)).toEqual([]);
    expect((await visitor.get("/drafts").expect(200)).text).toContain("could not post then");
  });

  it("a worker that is killed between sending and forgetting sends once", async () => {
    const { id } = await newAuthor("ivy");
    await saveDraft(world.ctx, id, { text: "once", at: world.ctx.now() + hour });
    world.pass(hour);
    const redis = Object.create(world.ctx.redis, {
      hdel: { value: () => Promise.reject(new Error("killed")) },
    }) as typeof world.ctx.redis;
    await expect(sendDueDrafts({ ...world.ctx, redis })).rejects.toThrow("killed");
    expect(await textsOf(id)).toEqual(["once"]);
    expect(await world.ctx.redis.hlen(keys.savedDrafts(id))).toBe(1);
    await sendDueDrafts(world.ctx);
    expect(await textsOf(id)).toEqual(["once"]);
    expect(await world.ctx.redis.hlen(keys.savedDrafts(id))).toBe(0);
  });

  it("the doctor lists a draft whose promise was lost", async () => {
    const { id } = await newAuthor("jan");
    await saveDraft(world.ctx, id, { text: "promised", at: world.ctx.now() + hour });
    await world.ctx.redis.zrem(keys.dueDrafts, id);
    const { counts } = await runDoctor(world, { repair: true });
    expect(counts).toEqual({ "draft-unlisted": 1 });
    world.pass(hour);
    await sendDueDrafts(world.ctx);
    expect(await textsOf(id)).toEqual(["promised"]);
  });

  it("the pages speak the language of their user", async () => {
    const { visitor } = await newAuthor("haru", "ja");
    const path = await save(visitor, { text: "あとで" });
    expect((await visitor.get("/drafts").expect(200)).text).toContain("あなただけに表示されます");
    expect((await visitor.get(path).expect(200)).text).toContain("送信する時刻");
    await visitor.post(path, { text: "あとで", when: soon(), do: "schedule" }).expect(303);
    expect((await visitor.get("/drafts").expect(200)).text).toContain("送信されます");
  });

  it("a draft that waits for its time keeps it when it is saved, and loses it if the time is taken out", async () => {
    const { visitor, id } = await newAuthor("kim");
    const path = await save(visitor, { text: "at noon" });
    const when = soon();
    await visitor.post(path, { text: "at noon", when, do: "schedule" }).expect(303);
    await visitor.post(path, { text: "at noon!", when, do: "save" }).expect(303);
    expect(await nextDue(world.ctx, id)).toBeGreaterThan(world.ctx.now());
    await visitor.post(path, { text: "at noon!", when: "", do: "save" }).expect(303);
    expect(await nextDue(world.ctx, id)).toBeUndefined();
  });

  it("no user sees or sends the draft of another", async () => {
    const { id } = await newAuthor("ida");
    const draft = await saveDraft(world.ctx, id, { text: "mine" });
    const { visitor } = await newAuthor("joe");
    await visitor.get(`/drafts/${draft.id}`).expect(404);
    for (const verb of ["/send", "/delete"])
      await visitor.post(`/drafts/${draft.id}${verb}`, { text: "yours" }).expect(404);
    await visitor.post(`/drafts/${draft.id}`, { text: "yours", do: "send" }).expect(422);
    await sendDueDrafts(world.ctx);
    expect(await textsOf(id)).toEqual([]);
  });
});
