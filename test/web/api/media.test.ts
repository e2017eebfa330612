import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../../support/actors/api-client.ts";
import { picture, pngBomb } from "../../support/data/pictures.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface Media {
  id: string;
  url: string;
  preview_url: string;
  description: string | null;
  blurhash: string;
}

describe("pictures by the API", () => {
  let world: World;
  let ann: ApiClient;
  let bob: ApiClient;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "http://localhost" });
    for (const name of ["ann", "bob"]) await world.newcomer(name);
    ann = await ApiClient.of(world, "ann");
    bob = await ApiClient.of(world, "bob");
  });
  afterAll(() => world.close());

  const upload = async (bytes: Buffer, version = "v2") =>
    await ann.send("post", `/api/${version}/media`).attach("file", bytes, "a.png");
  const refused = async (bytes: Buffer) => ((await upload(bytes)).body as { error: string }).error;
  const added = async () => (await upload(await picture("png"))).body as Media;

  it.each(["v1", "v2"])("a picture is uploaded, described and posted: %s", async (version) => {
    const sent = await ann
      .send("post", `/api/${version}/media`)
      .field("description", "A wall")
      .attach("file", await picture("jpeg", { width: 1200, height: 600 }), "a.jpg")
      .expect(200);
    const media = sent.body as Media;
    expect(media).toMatchObject({
      type: "image",
      description: "A wall",
      meta: { original: { width: 1200, height: 600, size: "1200x600", aspect: 2 } },
    });
    expect(media.blurhash.length).toBeGreaterThan(6);
    const path = `/api/v1/media/${media.id}`;
    expect((await ann.get(path).expect(200)).body).toEqual(media);
    const changed = await ann.send("put", path).send({ description: "A red wall" }).expect(200);
    expect(changed.body).toEqual({ ...media, description: "A red wall" });
    const posted = await ann
      .post("/api/v1/statuses", { status: "", media_ids: [media.id], sensitive: true })
      .set("Idempotency-Key", `key ${version}`)
      .expect(200);
    expect(posted.body).toMatchObject({
      content: "",
      sensitive: true,
      media_attachments: [
        { id: media.id, url: media.url.replace(/\?.*/, ""), description: "A red wall" },
      ],
    });
    const again = await ann
      .post("/api/v1/statuses", { status: "", media_ids: [media.id], sensitive: true })
      .set("Idempotency-Key", `key ${version}`)
      .expect(200);
    expect((again.body as Media).id).toBe((posted.body as Media).id);
    await ann.post("/api/v1/statuses", { status: "x", media_ids: [media.id] }).expect(422);
    await ann.get(new URL(media.url).pathname).expect(200);
    await ann.get(new URL(media.preview_url).pathname).expect(200);
  });

  it("an upload without the scope is refused for that, whatever its size", async () => {
    const reader = await ApiClient.of(world, "ann", "read");
    const large = Buffer.alloc(6_000_000);
    for (const [method, path] of [
      ["post", "/api/v1/media"],
      ["post", "/api/v2/media"],
      ["patch", "/api/v1/accounts/update_credentials"],
    ] as const)
      for (const bytes of [await picture("png"), large])
        await reader.send(method, path).attach("file", bytes, "a.png").expect(403);
  });

  it("the uploads of another user are not found", async () => {
    const { id } = await added();
    await bob.get(`/api/v1/media/${id}`).expect(404);
    await bob.send("put", `/api/v1/media/${id}`).send({ description: "mine" }).expect(404);
    await bob.post("/api/v1/statuses", { status: "x", media_ids: [id] }).expect(422);
    await ann.get("/api/v1/media/1").expect(404);
  });

  it("an upload can be taken back by its user, until a status shows it", async () => {
    const { id, url } = await added();
    await bob.delete(`/api/v1/media/${id}`).expect(404);
    expect((await ann.delete(`/api/v1/media/${id}`).expect(200)).body).toEqual({});
    for (const path of [`/api/v1/media/${id}`, new URL(url).pathname])
      await ann.get(path).expect(404);
    await ann.post("/api/v1/statuses", { status: "gone", media_ids: [id] }).expect(422);
    await ann.delete(`/api/v1/media/${id}`).expect(404);
    const shown = await added();
    await ann.post("/api/v1/statuses", { status: "shown", media_ids: [shown.id] }).expect(200);
    const { body } = await ann.delete(`/api/v1/media/${shown.id}`).expect(422);
    expect(body).toMatchObject({ error: expect.stringContaining("Another tweet shows") as string });
    await ann.get(new URL(shown.url).pathname).expect(200);
  });

  it("the description of an upload that a status shows cannot change by itself", async () => {
    const [shown, scheduled] = [await added(), await added()];
    const scheduled_at = new Date(world.ctx.now() + 3_600_000).toISOString();
    const posted = await ann.post("/api/v1/statuses", { status: "a", media_ids: [shown.id] });
    const status = { status: "b", scheduled_at, media_ids: [scheduled.id] };
    const { body } = await ann.post("/api/v1/statuses", status).expect(200);
    for (const { id } of [shown, scheduled])
      await ann.send("put", `/api/v1/media/${id}`).send({ description: "new" }).expect(422);
    await ann.delete(`/api/v1/scheduled_statuses/${(body as { id: string }).id}`).expect(200);
    const put = { media_attributes: [{ id: shown.id, description: "new" }], media_ids: [shown.id] };
    const path = `/api/v1/statuses/${(posted.body as { id: string }).id}`;
    const edited = await ann
      .send("put", path)
      .send({ status: "a", ...put })
      .expect(200);
    expect(edited.body).toMatchObject({ media_attachments: [{ description: "new" }] });
  });

  it("an upload of a scheduled status cannot be taken back, until that is deleted", async () => {
    const { id } = await added();
    const scheduled_at = new Date(world.ctx.now() + 3_600_000).toISOString();
    const { body } = await ann
      .post("/api/v1/statuses", { status: "later", scheduled_at, media_ids: [id] })
      .expect(200);
    await ann.delete(`/api/v1/media/${id}`).expect(422);
    await ann.get(`/api/v1/media/${id}`).expect(200);
    await ann.delete(`/api/v1/scheduled_statuses/${(body as { id: string }).id}`).expect(200);
    await ann.get(`/api/v1/media/${id}`).expect(404);
  });

  it("uploads need a scope", async () => {
    await (await ApiClient.of(world, "ann", "read")).post("/api/v2/media").expect(403);
    await new ApiClient(world).post("/api/v2/media").expect(401);
  });

  it("what is no picture is refused with a sentence", async () => {
    expect(await refused(Buffer.from("<svg/>"))).toContain("not a JPEG, PNG");
    expect(await refused(pngBomb(40_000, 40_000))).toContain("32 million pixels");
    expect(await refused((await picture("png")).subarray(0, 200))).toContain("damaged");
    expect(await refused(Buffer.alloc(5_000_001))).toContain("5 MB");
    expect((await ann.post("/api/v2/media").expect(422)).body).toMatchObject({
      error: "Validation failed: file is missing.",
    });
  });

  it("timelines can be asked for pictures only", async () => {
    const { id } = await added();
    await ann.post("/api/v1/statuses", { status: "seen #sky", media_ids: [id] }).expect(200);
    await ann.post("/api/v1/statuses", { status: "unseen #sky" }).expect(200);
    await world.delivered();
    for (const path of ["accounts/1/statuses", "timelines/public", "timelines/tag/sky"]) {
      const { body } = await bob.get(`/api/v1/${path}?only_media=1&limit=1`).expect(200);
      expect(body).toMatchObject([{ content: expect.stringContaining("seen") as string }]);
      expect((body as { content: string }[])[0]?.content).not.toContain("unseen");
    }
  });
});
