import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block } from "../../src/domain/actions/block.ts";
import { deleteTweet } from "../../src/domain/actions/delete-tweet.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { saveDraft } from "../../src/domain/actions/save-draft.ts";
import { sendDueDrafts } from "../../src/domain/actions/send-draft.ts";
import { tweetId, type UserId } from "../../src/domain/ids.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { hiddenFields, typedFields } from "../support/inspect/page.ts";
import { closeChecked, finishJobs } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const hour = 60 * 60 * 1000;

describe("replies that are not possible any more", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => closeChecked(world));

  async function newAuthor(name: string, language?: "ja") {
    const visitor = await world.newcomer(name, language);
    return { visitor, id: (await getUserByName(world.ctx, name)).id };
  }

  async function textsOf(user: UserId): Promise<(string | null)[]> {
    const ids = await world.ctx.redis.zrange(keys.userTimeline(user), 0, "-1");
    return await Promise.all(
      ids.map((id) => world.ctx.redis.hget(keys.tweet(tweetId(id)), "text")),
    );
  }

  it("a reply whose tweet is gone at its time stays, with the reason, and is sent as a tweet of its own", async () => {
    const { id: author } = await newAuthor("fay");
    const tweet = await postTweet(world.ctx, author, { text: "a question" });
    const { visitor, id } = await newAuthor("gus");
    const at = world.ctx.now() + hour;
    const draft = await saveDraft(world.ctx, id, { text: "an answer", replyTo: tweet, at });
    await deleteTweet(world.ctx, author, tweet);
    world.pass(hour);
    // A worker may do the same.
    await sendDueDrafts(world.ctx);
    const list = async () => (await visitor.get("/drafts").expect(200)).text;
    await expect.poll(list).toContain("Not sent: The tweet you are replying to no longer exists");
    expect(await list()).toContain("an answer");
    expect(await textsOf(id)).toEqual([]);
    const path = `/drafts/${draft.id}`;
    const refused = await visitor.post(`${path}/send`).expect(422);
    const opened = await visitor.get(path).expect(200);
    for (const { text } of [refused, opened]) {
      expect(text).toContain("you can send it as a tweet of its own");
      expect(text).toContain("Send as a tweet of its own");
      expect(text).not.toContain(`/tweets/${tweet}"`);
    }
    const typed = typedFields(opened.text, path);
    await visitor.post(path, { ...typed, do: "send" }).expect(303);
    expect(await textsOf(id)).toEqual(["an answer"]);
    expect((await visitor.see("/@gus"))[0]?.text).toBe("an answer");
    await visitor.get(path).expect(404);
  });

  it("a reply whose tweet is hidden from its author says so before it is sent, and can be scheduled", async () => {
    const { id: author } = await newAuthor("kim");
    const tweet = await postTweet(world.ctx, author, { text: "a question" });
    const { visitor, id } = await newAuthor("leo", "ja");
    const draft = await saveDraft(world.ctx, id, { text: "答え", replyTo: tweet });
    const path = `/drafts/${draft.id}`;
    expect((await visitor.get(path).expect(200)).text).toContain(`/tweets/${tweet}"`);
    await block(world.ctx, { blocker: author, blocked: id });
    const { text: page } = await visitor.get(path).expect(200);
    expect(page).toContain("独立したツイートとして送信");
    await visitor.post(path, { ...typedFields(page, path), do: "send" }).expect(303);
    expect(await textsOf(id)).toEqual(["答え"]);
  });

  it("what would have answered a message is no tweet for everyone when the message is gone", async () => {
    const { visitor: mia, id } = await newAuthor("mia");
    const { id: ned } = await newAuthor("ned");
    const message = await postTweet(world.ctx, ned, { text: "@mia psst", audience: "mentioned" });
    await finishJobs(world);
    const { text: thread } = await mia.get(`/tweets/${message}`).expect(200);
    const fields = { ...hiddenFields(thread, "/tweets"), text: "a secret" };
    const { headers } = await mia.post("/drafts", fields).expect(303);
    const path = String(headers["location"]).replace("?saved", "");
    await deleteTweet(world.ctx, ned, message);
    const { text: page } = await mia.get(path).expect(200);
    expect(page).toContain('<option value="mentioned" selected');
    const { text: refused } = await mia.post("/tweets", fields).expect(422);
    expect(refused).toContain("a secret");
    expect(refused).toContain('<option value="mentioned" selected');
    await mia.post(path, { ...typedFields(page, path), audience: "mentioned", do: "send" });
    expect(await textsOf(id)).toEqual([]);
    await world.visitor().get("/@mia").expect(200);
    expect((await world.visitor().get("/@mia")).text).not.toContain("a secret");
  });

  it.each(["save", "send", "schedule"])(
    "a draft of an answer to a message stays one, if the message goes before it is told to %s",
    async (how) => {
      const { visitor: rae, id } = await newAuthor(`rae_${how}`);
      const { id: sid } = await newAuthor(`sid_${how}`);
      const words = { text: `@rae_${how} psst`, audience: "mentioned" as const };
      const message = await postTweet(world.ctx, sid, words);
      await finishJobs(world);
      const { text: thread } = await rae.get(`/tweets/${message}`).expect(200);
      const fields = { ...hiddenFields(thread, "/tweets"), text: "a secret" };
      const { headers } = await rae.post("/drafts", fields).expect(303);
      const path = String(headers["location"]).replace("?saved", "");
      const typed = typedFields((await rae.get(path).expect(200)).text, path);
      expect(typed).not.toHaveProperty("audience");
      await deleteTweet(world.ctx, sid, message);
      const when = new Date(world.ctx.now() + hour).toISOString().slice(0, 16);
      const answer = await rae.post(path, {
        ...hiddenFields((await rae.get(path)).text, path),
        ...typed,
        reply_to: message,
        when,
        do: how,
      });
      expect(answer.status).toBe(how === "save" ? 303 : 422);
      const shown = how === "save" ? (await rae.get(path).expect(200)).text : answer.text;
      expect(shown).toContain("a secret");
      expect(shown).toContain('<option value="mentioned" selected');
      expect(await textsOf(id)).toEqual([]);
      const again = await rae.post("/drafts", { ...fields, text: "another" }).expect(303);
      const { text: kept } = await rae.get(String(again.headers["location"])).expect(200);
      expect(kept).toContain('<option value="mentioned" selected');
    },
  );

  it("a text for a tweet that its author may not answer any more is not lost", async () => {
    const { id: author } = await newAuthor("oda");
    const { visitor: pia, id } = await newAuthor("pia");
    const tweet = await postTweet(world.ctx, author, { text: "for all" });
    const { text: thread } = await pia.get(`/tweets/${tweet}`).expect(200);
    const fields = { ...hiddenFields(thread, "/tweets"), text: "long thoughts" };
    await world.ctx.redis.hset(keys.tweet(tweet), { replies_from: "mentioned" });
    const { text: refused } = await pia.post("/tweets", fields).expect(422);
    expect(refused).toContain("The author has limited who may reply");
    const typed = typedFields(refused, "/tweets");
    expect(typed["text"]).toBe("long thoughts");
    const hidden = hiddenFields(refused, "/tweets");
    await pia.post("/tweets", { ...hidden, ...typed }).expect(303);
    expect(await textsOf(id)).toEqual(["long thoughts"]);
  });
});
