import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { findImport } from "../../../src/domain/accounts/import-store.ts";
import { moveIn } from "../../support/actors/mover.ts";
import { newPerson } from "../../support/actors/people.ts";
import { importFile, previewImport } from "../../support/data/account-files.ts";
import {
  announce,
  create,
  mastodonArchive,
  outbox,
  postId,
} from "../../support/data/mastodon-archive.ts";
import { picture } from "../../support/data/pictures.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const at = (second: number) => new Date(Date.UTC(2021, 5, 1, 8, 0, second)).toISOString();

describe("an archive of Mastodon", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  const bring = async (...archive: Parameters<typeof mastodonArchive>) =>
    await moveIn(ctx, await mastodonArchive(...archive));

  it("posts become plain texts: paragraphs, whole links, tags, and people as links", async () => {
    const html = [
      '<p>one &lt;b&gt; &amp; two<br />three <a href="https://mastodon.example/tags/birds" class="mention hashtag" rel="tag">#<span>birds</span></a></p>',
      '<p><span class="h-card"><a href="https://other.example/@ann" class="u-url mention">@<span>ann</span></a></span> see ',
      '<a href="https://blog.example/a-long-way/to?go=1&amp;x=2" rel="nofollow"><span class="invisible">https://</span><span class="ellipsis">blog.example/a-long</span><span class="invisible">-way/to?go=1&amp;x=2</span></a></p>',
    ].join("");
    const { tweets } = await bring([
      create({ id: "1", html, at: at(1), language: "de" }),
      create({ id: "2", html: "<p>hidden</p>", at: at(2), warning: "a warning" }),
    ]);
    expect(tweets.map(({ text, warning, language }) => ({ text, warning, language }))).toEqual([
      {
        text: "one <b> & two\nthree #birds\n\nhttps://other.example/@ann see https://blog.example/a-long-way/to?go=1&x=2",
        warning: undefined,
        language: "de",
      },
      { text: "hidden", warning: "a warning", language: "en" },
    ]);
  });

  it("threads stay together, boosts are left out, and so is what was for some people", async () => {
    const { tweets, progress, user } = await bring([
      create({ id: "1", html: "<p>one</p>", at: at(1) }),
      create({
        id: "2",
        html: "<p>two</p>",
        at: at(2),
        replyTo: postId("1"),
        audience: "unlisted",
      }),
      announce("3", at(3)),
      create({ id: "4", html: "<p>for followers</p>", at: at(4), audience: "followers" }),
      create({ id: "5", html: "<p>for ann</p>", at: at(5), audience: "direct" }),
    ]);
    expect(progress.skipped).toEqual({ retweet: 1, private: 1 });
    const [one, two] = tweets;
    expect(tweets.map(({ text, audience }) => [text, audience])).toEqual([
      ["one", "public"],
      ["two", "unlisted"],
      ["for followers", "followers"],
    ]);
    expect(two?.replyTo).toEqual({ tweet: one?.id, author: user });
  });

  it("pictures come with their descriptions, and what is no picture stays a link", async () => {
    const attachments = [
      { file: "111/original/a.png", description: "a wall" },
      { file: "222/original/b.mp4", type: "video/mp4" },
    ];
    const { tweets } = await bring(
      [create({ id: "1", html: "<p>look</p>", at: at(1), sensitive: true, attachments })],
      { "media_attachments/files/111/original/a.png": await picture("png") },
    );
    expect(tweets).toMatchObject([
      {
        text: "look\n\nhttps://mastodon.example/@owner/1",
        sensitive: true,
        pictures: [{ description: "a wall" }],
      },
    ]);
  });

  it("a long post becomes a thread that says all of it", async () => {
    const words = Array.from({ length: 90 }, (_, nth) => `wort${nth}`).join(" ");
    const { tweets } = await bring([create({ id: "1", html: `<p>${words}</p>`, at: at(1) })]);
    expect(tweets.length).toBeGreaterThan(1);
    expect(tweets.map(({ text }) => text).join(" ")).toBe(words);
  });

  it("outbox.json and the table of follows can be imported alone", async () => {
    const user = await newPerson(ctx);
    const file = outbox([create({ id: "1", html: "<p>alone</p>", at: at(1) })]);
    expect(await importFile(ctx, user, file)).toMatchObject({ tweets: 1 });
    const csv =
      "Account address,Show boosts,Notify on new posts,Languages\nann@other.example,true,false,\n";
    expect(await importFile(ctx, user, Buffer.from(csv))).toMatchObject({ skipped: { person: 1 } });
  });

  it("a damaged or hostile file gets a sentence, and writes nothing", async () => {
    const user = await newPerson(ctx);
    const file = outbox([create({ id: "1", html: "<p>alone</p>", at: at(1) })]);
    await expect(previewImport(ctx, user, file.subarray(0, -4))).rejects.toMatchObject({
      problems: { file: "import.damaged" },
    });
    expect(await findImport(ctx, user)).toBeUndefined();
    const strange = [
      7,
      { type: "Create", object: { type: "Note", id: {}, content: 7 } },
      { type: "Create", object: "https://a.example" },
      create({ id: "2", html: `${"<a href='javascript:alert(1)'>".repeat(2000)}x`, at: at(2) }),
      create({ id: "3", html: "<<p <script>alert(1)</script>&#x110000;&#0;", at: at(3) }),
    ];
    const { tweets, progress } = await bring(strange);
    expect(progress.skipped).toEqual({ malformed: 3 });
    expect(tweets.map(({ text }) => text)).toEqual(["x", "<<p alert(1)&#x110000;&#0;"]);
  });
});
