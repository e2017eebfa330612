import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../src/domain/users/store.ts";
import { pictureBytes } from "../../src/domain/pictures/stored-bytes.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { send } from "../support/actors/composer.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { picture } from "../support/data/pictures.ts";
import { alertsOn, tweetsOn } from "../support/inspect/page.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { keys } from "../../src/redis/keys.ts";
import { createWorld, type World } from "../support/world/world.ts";

const page = async (visitor: Visitor, path: string) => (await visitor.get(path).expect(200)).text;
/** A picture large enough that its size is a sensible number of bytes. */
const image = () => picture("png", { width: 900, height: 600 });

describe("the room of an account", () => {
  let world: World;
  let ann: Visitor;
  let haru: Visitor;
  beforeAll(async () => {
    world = await createWorld({ accountPictureBytes: 1_000_000 });
    ann = await world.newcomer("ann");
    haru = await world.newcomer("haru", "ja");
  });
  afterAll(() => world.close());

  /** Makes what a user has now a share of the quota. */
  const fill = async (name: string, share: number) => {
    const { id } = await getUserByName(world.ctx, name);
    world.ctx.config.accountPictureBytes = Math.floor((await pictureBytes(world.ctx, id)) / share);
  };

  it("a user sees what the pictures and the texts of the account take", async () => {
    expect(await page(ann, "/settings/data")).toContain("Count the texts of my tweets");
    for (const visitor of [ann, haru]) await visitor.post("/settings/data/count").expect(303);
    await finishJobs(world);
    expect(await page(ann, "/settings/data")).toContain("Texts of your tweets: 0 kB, counted");
    expect((await send(ann, { text: "x".repeat(280), pictures: [await image()] })).status).toBe(
      303,
    );
    expect(await page(ann, "/settings/data")).toMatch(
      /Pictures of your tweets: [1-9]\d* kB of 1 MB/,
    );
    const ja = await page(haru, "/settings/data");
    expect(ja).toContain("ツイートの画像：1 MBのうち0 kB");
    expect(ja).toContain("ツイートの本文：0 kB");
  });

  it("the composer says before it is full how full it is, in the language of its user", async () => {
    expect((await send(haru, { pictures: [await image()] })).status).toBe(303);
    expect(await page(ann, "/")).not.toContain("that this site gives each account");
    await fill("ann", 0.95);
    await ann.tweet("between");
    const [tweet] = tweetsOn(await page(ann, "/@ann"));
    for (const path of ["/", `/tweets/${tweet?.id}`, `/tweets/${tweet?.id}/edit`])
      expect(await page(ann, path)).toContain("that this site gives each account. Delete tweets");
    expect(await page(haru, "/")).toContain("画像付きのツイートを削除すると空きができます。");
  });

  it("a full account is refused beside the field, and again takes pictures after a deletion", async () => {
    await fill("ann", 1);
    const refused = await send(ann, { text: "no room", pictures: [await image()] });
    expect(refused.status).toBe(422);
    expect(alertsOn(refused.text).join(" ")).toContain("Your pictures fill the room");
    expect(refused.text).toContain("no room");
    expect((await send(ann, { text: "no picture" })).status).toBe(303);
    const app = await ApiClient.of(world, "ann");
    const answer = await app
      .send("post", "/api/v2/media")
      .attach("file", await image(), "a.png")
      .expect(422);
    expect((answer.body as { error: string }).error).toContain("Your pictures fill the room");
    const pictured = tweetsOn(await page(ann, "/@ann")).find(({ text }) => text.startsWith("xxx"));
    await ann.post(`/tweets/${pictured?.id}/delete`).expect(303);
    expect((await send(ann, { text: "room", pictures: [await image()] })).status).toBe(303);
    const inJapanese = await send(haru, { pictures: [await image()] });
    expect(alertsOn(inJapanese.text).join(" ")).toContain("上限に達しました");
  });

  it("bytes that a former version deleted without counting are found when the room is full", async () => {
    const { ctx } = world;
    const bea = await world.newcomer("bea");
    expect((await send(bea, { text: "one", pictures: [await image()] })).status).toBe(303);
    const { id } = await getUserByName(ctx, "bea");
    const bytes = () => pictureBytes(ctx, id);
    const size = await bytes();
    await ctx.redis.countBytes(keys.storedBytes(id), -1, "deletedbefore", 5 * size);
    ctx.config.accountPictureBytes = 6 * size;
    expect((await send(bea, { pictures: [await image()] })).status).toBe(422);
    await expect.poll(bytes).toBe(size);
    expect((await send(bea, { pictures: [await image()] })).status).toBe(303);
    await ctx.redis.countBytes(keys.storedBytes(id), -1, "deletedbefore", 4 * size);
    ctx.config.accountPictureBytes = 6 * size + 1;
    expect((await send(bea, { text: "two", pictures: [await image()] })).status).toBe(422);
    await expect.poll(bytes).toBe(2 * size);
    expect((await send(bea, { text: "two", pictures: [await image()] })).status).toBe(303);
  });
});
