import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { reconcileUpload } from "../../../src/domain/actions/attach-pictures.ts";
import { keys, mostOf } from "../../../src/redis/keys.ts";
import { tweetId, type UploadId } from "../../../src/domain/ids.ts";
import { reconcileDeletion } from "../../../src/domain/actions/delete-cleanup.ts";
import { parseStatusId } from "../../../src/web/api/ids.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { picture } from "../../support/data/pictures.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface Media {
  id: UploadId;
  url: string;
}
interface Sent {
  id: string;
  text: string;
  media_attachments: Media[];
}

const statusOf = async (who: ApiClient, { url }: Media) =>
  (await who.get(new URL(url).pathname + new URL(url).search)).status;

describe("a status that is deleted to be written anew", () => {
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

  const post = async (status: string, media_ids: string[]) =>
    (await ann.post("/api/v1/statuses", { status, media_ids }).expect(200)).body as Sent;
  const postPicture = async () => {
    const sent = ann.send("post", "/api/v2/media").field("description", "A wall");
    const { body } = await sent.attach("file", await picture("png"), "a.png").expect(200);
    return await post("with a tyop", [(body as Media).id]);
  };
  const remove = async ({ id }: Sent, query = "") =>
    (await ann.delete(`/api/v1/statuses/${id}${query}`).expect(200)).body as Sent;

  it("the pictures of a deleted status can be posted again, and are its author's alone until then", async () => {
    const sent = await postPicture();
    const [before] = sent.media_attachments as [Media];
    const { text, media_attachments: media } = await remove(sent);
    const deleted = parseStatusId(sent.id)?.id ?? tweetId(0);
    await reconcileDeletion(world.ctx, deleted);
    expect([text, media]).toMatchObject([
      "with a tyop",
      [{ id: before.id, description: "A wall" }],
    ]);
    expect(await statusOf(bob, before)).toBe(404);
    expect(await statusOf(bob, media[0] as Media)).toBe(200);
    const again = await post("without a typo", [before.id]);
    expect(again.media_attachments).toMatchObject([{ id: before.id, description: "A wall" }]);
    expect(await statusOf(bob, before)).toBe(200);
    await ann.get(`/api/v1/statuses/${sent.id}`).expect(404);
  });

  it("pictures that are not posted again are gone after a day", async () => {
    const sent = await postPicture();
    const [{ id: upload }] = (await remove(sent)).media_attachments as [Media];
    const { id: user } = await getUserByName(world.ctx, "ann");
    expect(await world.ctx.redis.hget(keys.storedBytes(user), upload)).not.toBeNull();
    world.pass(24 * 3_600_000);
    await reconcileUpload(world.ctx, { user, upload });
    expect(await world.ctx.redis.hget(keys.storedBytes(user), upload)).toBeNull();
    await ann.get(`/api/v1/media/${upload}`).expect(404);
  });

  it("pictures of a status of almost a day ago stay for a day, too", async () => {
    const sent = await postPicture();
    world.pass(23.9 * 3_600_000);
    const [{ id: upload }] = (await remove(sent)).media_attachments as [Media];
    const { id: user } = await getUserByName(world.ctx, "ann");
    world.pass(0.2 * 3_600_000);
    // The chore that was promised for its upload.
    await reconcileUpload(world.ctx, { user, upload });
    await ann.get(`/api/v1/media/${upload}`).expect(200);
    await post("late, but whole", [upload]);
  });

  it("pictures go at once if the app asks for that, or with very many uploads", async () => {
    const [one, two, three] = [await postPicture(), await postPicture(), await postPicture()];
    expect((await remove(one, "?delete_media=true")).media_attachments).toEqual([]);
    const path = `/api/v1/statuses/${three.id}`;
    const removed = await ann.send("delete", path).send({ delete_media: true }).expect(200);
    expect((removed.body as Sent).media_attachments).toEqual([]);
    const { id: user } = await getUserByName(world.ctx, "ann");
    const many = Array.from({ length: mostOf("uploads") }, (_, nth) => [`x${nth}`, "{}"]).flat();
    await world.ctx.redis.hset(keys.uploads(user), ...many);
    expect((await remove(two)).media_attachments).toEqual([]);
    await world.ctx.redis.hdel(keys.uploads(user), ...many);
    for (const { media_attachments: media } of [one, two])
      await ann.get(`/api/v1/media/${media[0]?.id}`).expect(404);
  });
});
