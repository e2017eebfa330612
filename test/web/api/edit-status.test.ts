import { createRestAPIClient, type mastodon, MastoHttpError } from "masto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { parseUploadId, tweetId } from "../../../src/domain/ids.ts";
import { parseStatusId } from "../../../src/web/api/ids.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { tokenFor } from "../../support/actors/app-listener.ts";
import { picture } from "../../support/data/pictures.ts";
import { createStreamingScene, type StreamingScene } from "../../support/world/streaming-scene.ts";

interface Media {
  id: string;
  description: string | null;
}

interface ApiStatus {
  id: string;
  content: string;
  edited_at: string | null;
  sensitive: boolean;
  media_attachments: Media[];
}

describe("editing through the API", () => {
  let stage: StreamingScene;
  let author: ApiClient;
  let masto: mastodon.rest.Client;
  beforeAll(async () => {
    stage = await createStreamingScene();
    author = await ApiClient.of(stage.two.world, "author");
    const url = `http://127.0.0.1:${stage.site.port}`;
    masto = createRestAPIClient({ url, accessToken: author.token ?? "" });
  });
  afterAll(async () => {
    stage.leave();
    await stage.close();
  });

  const put = (id: string, fields: object) =>
    author.send("put", `/api/v1/statuses/${id}`).send(fields);
  const upload = async (description: string) => {
    const test = author.send("post", "/api/v2/media").field("description", description);
    const { body } = await test.attach("file", await picture("png"), "a.png").expect(200);
    return (body as Media).id;
  };

  it("masto edits a status: its source, its history and the mark are there", async () => {
    const posted = await masto.v1.statuses.create({ status: "A tpyo #one" });
    expect(posted.editedAt).toBeNull();
    const status = masto.v1.statuses.$select(posted.id);
    expect((await status.source.fetch()).text).toBe("A tpyo #one");
    const edited = await status.update({ status: "A typo #two" });
    expect(edited).toMatchObject({ id: posted.id, createdAt: posted.createdAt });
    expect(edited.content).toContain("A typo");
    expect(edited.tags.map(({ name }) => name)).toEqual(["two"]);
    expect(edited.editedAt).toMatch(/Z$/);
    const history = await status.history.list();
    expect(history.map(({ content }) => content.replaceAll(/<[^>]*>/g, ""))).toEqual([
      "A tpyo #one",
      "A typo #two",
    ]);
    expect(history.map(({ createdAt }) => createdAt)).toEqual([posted.createdAt, edited.editedAt]);
    expect((await status.fetch()).editedAt).toBe(edited.editedAt);
  });

  it("streams tell of the edit of a status that they have sent, and of its retweet", async () => {
    const stream = await stage.listens("/user");
    const { id } = await masto.v1.statuses.create({ status: "Said live" });
    await stream.hearsTweet("Said live");
    await masto.v1.statuses.$select(id).update({ status: "Said better" });
    const { data } = await stream.stream.hearsOf("status.update", () => true);
    const told = JSON.parse(data) as ApiStatus;
    expect(told).toMatchObject({ id, content: "<p>Said better</p>" });
    expect(told.edited_at).not.toBeNull();
    expect(stream.events.filter((event) => event === "status.update")).toHaveLength(1);
  });

  it("a stream takes back a status whose edit is not for its user any more", async () => {
    const stream = await stage.listens("/public", {
      as: await tokenFor(stage.two.world, "stranger"),
    });
    const { id } = await masto.v1.statuses.create({ status: "For everyone" });
    await stream.hearsTweet("For everyone");
    await put(id, { status: "For a few", visibility: "private" }).expect(200);
    const { data } = await stream.stream.hearsOf("delete", () => true);
    expect(data).toBe(id);
    expect(stream.events).not.toContain("status.update");
  });

  it("masto sets, reads and removes a content warning, and the history has it", async () => {
    const posted = await masto.v1.statuses.create({ status: "the butler", spoilerText: "The end" });
    expect(posted).toMatchObject({ spoilerText: "The end", sensitive: true });
    const status = masto.v1.statuses.$select(posted.id);
    expect(await status.source.fetch()).toMatchObject({
      text: "the butler",
      spoilerText: "The end",
    });
    const edited = await status.update({ status: "the butler", spoilerText: "It ends" });
    expect(edited).toMatchObject({ content: "<p>the butler</p>", spoilerText: "It ends" });
    const { body } = await put(posted.id, { status: "the butler" }).expect(200);
    expect(body).toMatchObject({ spoiler_text: "", sensitive: false });
    const history = await status.history.list();
    expect(history.map(({ spoilerText }) => spoilerText)).toEqual(["The end", "It ends", ""]);
  });

  it("pictures are kept, moved, added and taken away, and described anew", async () => {
    const [one, two] = [await upload("one"), await upload("two")];
    const { body } = await author
      .post("/api/v1/statuses", { status: "Pictures", media_ids: [one, two] })
      .expect(200);
    const { id } = body as ApiStatus;
    const three = await upload("three");
    const edited = await put(id, {
      status: "Pictures",
      media_ids: [two, three],
      media_attributes: [{ id: two, description: "the second" }],
    }).expect(200);
    const shown = (status: unknown) =>
      (status as ApiStatus).media_attachments.map((media) => [media.id, media.description]);
    expect(shown(edited.body)).toEqual([
      [two, "the second"],
      [three, "three"],
    ]);
    // As forms spell it; the first picture comes back.
    const form = await author
      .send("put", `/api/v1/statuses/${id}`)
      .type("form")
      .send(`status=&media_ids[]=${three}&media_ids[]=${one}&sensitive=true`)
      .send(`media_attributes[][id]=${one}&media_attributes[][description]=back`)
      .expect(200);
    expect(shown(form.body)).toEqual([
      [three, "three"],
      [one, "back"],
    ]);
    expect(form.body).toMatchObject({ content: "", sensitive: true });
    const { body: history } = await author.get(`/api/v1/statuses/${id}/history`).expect(200);
    expect((history as ApiStatus[]).map(shown)).toEqual([
      [
        [one, "one"],
        [two, "two"],
      ],
      [
        [two, "the second"],
        [three, "three"],
      ],
      [
        [three, "three"],
        [one, "back"],
      ],
    ]);
    const wrong = await put(id, { status: "x", media_ids: ["0".repeat(24)] }).expect(422);
    expect((wrong.body as { error: string }).error).not.toBe("");
  });

  it("what cannot be done is refused with a sentence", async () => {
    const { id } = await masto.v1.statuses.create({ status: "Mine" });
    await put(id, { status: " " }).expect(422);
    await put(id, { status: "x", poll: { options: ["a", "b"] } }).expect(422);
    const reader = await ApiClient.of(stage.two.world, "reader");
    await reader.send("put", `/api/v1/statuses/${id}`).send({ status: "Yours" }).expect(404);
    const { body } = await reader.post(`/api/v1/statuses/${id}/reblog`).expect(200);
    const retweet = (body as ApiStatus).id;
    await reader.send("put", `/api/v1/statuses/${retweet}`).send({ status: "x" }).expect(404);
    stage.two.world.pass(61 * 60_000);
    const late = masto.v1.statuses.$select(id).update({ status: "Late" });
    await expect(late).rejects.toThrow(MastoHttpError);
    const refused = await put(id, { status: "Late" }).expect(422);
    expect((refused.body as { error: string }).error).toContain("is over");
    expect((await masto.v1.statuses.$select(id).fetch()).editedAt).toBeNull();
  });

  it("an edit that says nothing of the cover leaves one that its author has put meanwhile", async () => {
    const one = await upload("one");
    const { body } = await author
      .post("/api/v1/statuses", { status: "Look", media_ids: [one] })
      .expect(200);
    const { id } = body as ApiStatus;
    const { id: tweet = tweetId(1) } = parseStatusId(id) ?? {};
    const { ctx } = stage.two.world;
    const { id: user } = await getUserByName(ctx, "author");
    const script = ctx.redis.editTweet.bind(ctx.redis);
    const covered = { text: "Look", pictures: [one].flatMap((raw) => parseUploadId(raw) ?? []) };
    vi.spyOn(ctx.redis, "editTweet").mockImplementationOnce(async (...args) => {
      await editTweet(ctx, user, tweet, { ...covered, sensitive: true });
      return await script(...args);
    });
    const edited = await put(id, { status: "Look here", media_ids: [one] }).expect(200);
    vi.restoreAllMocks();
    expect(edited.body).toMatchObject({ content: "<p>Look here</p>", sensitive: true });
  });
});
