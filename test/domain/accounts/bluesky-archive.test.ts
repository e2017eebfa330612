import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { findImport } from "../../../src/domain/accounts/import-store.ts";
import { moveIn } from "../../support/actors/mover.ts";
import { newPerson } from "../../support/actors/people.ts";
import { archiveOf, previewImport } from "../../support/data/account-files.ts";
import { carFile, post, postPath, postUri, rawLink } from "../../support/data/bluesky-archive.ts";
import { picture } from "../../support/data/pictures.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const at = (second: number) => new Date(Date.UTC(2024, 1, 3, 4, 5, second)).toISOString();

describe("an archive of Bluesky", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  it("posts come with whole links, people as links, threads and languages", async () => {
    const facets = {
      "@ann.bsky.social": { $type: "app.bsky.richtext.facet#mention", did: "did:plc:ann" },
      "blog.example/a…": { $type: "app.bsky.richtext.facet#link", uri: "https://blog.example/a/b" },
      "#雀": { $type: "app.bsky.richtext.facet#tag", tag: "雀" },
    };
    const { tweets, progress, user } = await moveIn(
      ctx,
      carFile({
        "app.bsky.actor.profile/self": { $type: "app.bsky.actor.profile", displayName: "O" },
        "app.bsky.feed.like/3ka": { $type: "app.bsky.feed.like", createdAt: at(1) },
        "app.bsky.feed.repost/3kb": { $type: "app.bsky.feed.repost", createdAt: at(1) },
        [postPath("3kc")]: post("雀 for @ann.bsky.social: blog.example/a… #雀", at(1), { facets }),
        [postPath("3kd")]: post("two", at(2), { replyTo: postUri("3kc"), langs: ["de"] }),
        [postPath("3ke")]: post("yes", at(3), { replyTo: "at://did:plc:ann/app.bsky.feed.post/1" }),
      }),
    );
    expect(progress).toMatchObject({ tweets: 3, skipped: { retweet: 1 } });
    expect(tweets.map(({ text, language }) => [text, language])).toEqual([
      ["雀 for https://bsky.app/profile/did:plc:ann: https://blog.example/a/b #雀", "en"],
      ["two", "de"],
      ["yes", "en"],
    ]);
    const [one, two, three] = tweets;
    expect(two?.replyTo).toEqual({ tweet: one?.id, author: user });
    expect(three?.replyTo).toBeUndefined();
  });

  it("blobs beside the repository become pictures with descriptions; without them there is a link", async () => {
    const bytes = await picture("jpeg");
    const ref = rawLink(bytes);
    const image = { $type: "blob", ref, mimeType: "image/jpeg", size: bytes.length };
    const embed = { $type: "app.bsky.embed.images", images: [{ alt: "a wall", image }] };
    const repository = carFile({ [postPath("3kc")]: post("look", at(1), { embed }) });
    const zip = await archiveOf({ "repo.car": repository, [`blobs/${ref.toString()}.jpg`]: bytes });
    expect((await moveIn(ctx, zip)).tweets).toMatchObject([
      { text: "look", pictures: [{ description: "a wall" }] },
    ]);
    expect((await moveIn(ctx, repository)).tweets).toMatchObject([
      { text: "look\n\nhttps://bsky.app/profile/did:plc:owner/post/3kc", pictures: [] },
    ]);
  });

  it("a tree of many records is read whole, in the order of their dates", async () => {
    const records = Array.from({ length: 500 }, (_, nth) => [
      postPath(`3k${String(nth).padStart(5, "0")}`),
      post(`number ${nth}`, new Date(Date.UTC(2024, 0, 1) + nth * 1000).toISOString()),
    ]);
    const { tweets } = await moveIn(ctx, carFile(Object.fromEntries(records) as object as never));
    expect(tweets.map(({ text }) => text)).toEqual(records.map((_, nth) => `number ${nth}`));
  });

  it("a repository that is cut off or changed writes nothing", async () => {
    const user = await newPerson(ctx);
    const whole = carFile({
      [postPath("3kc")]: post("one", at(1)),
      [postPath("3kd")]: post("two", at(2)),
    });
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(changed.length - 3) ^ 1, changed.length - 3);
    for (let length = 60; length < whole.length; length += 25)
      await expect(previewImport(ctx, user, whole.subarray(0, length))).rejects.toMatchObject({
        problems: { file: "import.damaged" },
      });
    await expect(previewImport(ctx, user, changed)).rejects.toMatchObject({
      problems: { file: "import.damaged" },
    });
    expect(await findImport(ctx, user)).toBeUndefined();
  });

  it("records that are no posts are counted, also ones of a hostile depth, and the others come", async () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 2000; depth += 1) deep = [deep];
    const { progress } = await moveIn(
      ctx,
      carFile({
        [postPath("3ka")]: 7,
        [postPath("3kb")]: { text: ["no"], createdAt: at(1) },
        [postPath("3kc")]: post("good", at(1), { facets: [{ index: "x" }] as never, embed: 3 }),
        [postPath("3kd")]: { text: deep },
      }),
    );
    expect(progress).toMatchObject({ tweets: 1, skipped: { malformed: 3 } });
  });
});
