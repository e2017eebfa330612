import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { steerImport } from "../../../src/domain/accounts/import.ts";
import { findImport } from "../../../src/domain/accounts/import-store.ts";
import { type UserId, formatTimestamp } from "../../../src/domain/ids.ts";
import { readCounts } from "../../../src/domain/tweets/reactions.ts";
import { moveIn, ownTweets } from "../../support/actors/mover.ts";
import { newPerson } from "../../support/actors/people.ts";
import { archiveOf, importFile, previewImport } from "../../support/data/account-files.ts";
import { picture } from "../../support/data/pictures.ts";
import { xArchive, xFile, xNote, xTweet } from "../../support/data/x-archive.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const at = "2020-05-01T10:00:00.000Z";
/** An id that X would give at `at`, to the millisecond. */
const idAt = (milliseconds: number) =>
  String(BigInt(Date.parse(at) + milliseconds - 1_288_834_974_657) << 22n);

/** A row of `data/protected-history.js`. */
const change = (protectedAt: string, action: string) => ({
  protectedHistory: { protectedAt, action },
});

describe("an archive of X", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  const textsOf = async (user: UserId) => (await ownTweets(ctx, user)).map(({ text }) => text);
  const bring = async (...archive: Parameters<typeof xArchive>) =>
    await moveIn(ctx, await xArchive(...archive));

  it("tweets come with their dates, to the millisecond where their id tells it", async () => {
    const { tweets } = await bring([
      { id: idAt(250), text: "second", at },
      { id: "5", text: "first, from before ids told the time", at: "2007-03-04T05:06:07.000Z" },
      { id: idAt(120), text: "a <b> & so on", at, language: "ja" },
    ]);
    expect(tweets.map(({ text, createdAt }) => [text, formatTimestamp(createdAt)])).toEqual([
      ["first, from before ids told the time", "2007-03-04T05:06:07.000000Z"],
      ["a <b> & so on", "2020-05-01T10:00:00.120000Z"],
      ["second", "2020-05-01T10:00:00.250000Z"],
    ]);
    expect(tweets.map(({ language }) => language)).toEqual(["en", "ja", "en"]);
  });

  it("a thread of one's own stays one, and replies to others become tweets", async () => {
    const { user, tweets } = await bring([
      { id: "12", text: "two", at: "2020-05-01T10:00:02Z", replyTo: "11" },
      { id: "13", text: "@ann yes", at: "2020-05-01T10:00:03Z", replyTo: "99", mentions: ["ann"] },
      { id: "11", text: "one", at: "2020-05-01T10:00:01Z" },
    ]);
    const [one, two, three] = tweets;
    expect([one?.text, two?.text, three?.text]).toEqual(["one", "two", "https://x.com/ann yes"]);
    expect(two?.replyTo).toEqual({ tweet: one?.id, author: user });
    expect(three?.replyTo).toBeUndefined();
    const counts = one && (await readCounts(ctx, [one.id])).get(one.id);
    expect(counts?.replies).toBe(1);
  });

  it("people and short addresses become addresses, with room around them", async () => {
    const { tweets } = await bring([
      {
        id: "21",
        text: "@ann_1さんと .@bob: see https://t.co/aB1 or mail me@home.example, https://t.co/zz",
        at,
        mentions: ["ann_1", "bob"],
        links: { "https://t.co/aB1": "https://blog.example/a?b=c" },
      },
    ]);
    expect(tweets.map(({ text }) => text)).toEqual([
      "https://x.com/ann_1 さんと . https://x.com/bob: see https://blog.example/a?b=c or mail me@home.example, https://t.co/zz",
    ]);
  });

  it("pictures come with their descriptions, and what is no picture stays a link", async () => {
    const pictured = [
      {
        id: "31",
        text: "a wall https://t.co/pic",
        at: "2020-05-01T10:00:01Z",
        sensitive: true,
        media: [
          { name: "A.jpg", short: "https://t.co/pic", description: "a wall" },
          { name: "B.png", short: "https://t.co/pic" },
        ],
      },
      {
        id: "32",
        text: "a film https://t.co/vid",
        at: "2020-05-01T10:00:02Z",
        media: [{ name: "V.jpg", short: "https://t.co/vid", type: "video" }],
      },
    ];
    const pictures = {
      "31-A.jpg": await picture("jpeg"),
      "31-B.png": await picture("png", { width: 50 }),
      "32-V.mp4": Buffer.from("film"),
    };
    const { tweets, progress } = await bring(pictured, { pictures });
    expect(progress).toMatchObject({ tweets: 2, pictures: 2 });
    const [wall, film] = tweets;
    expect(wall).toMatchObject({ text: "a wall", sensitive: true });
    expect(wall?.pictures?.map(({ description, large }) => [description, large.width])).toEqual([
      ["a wall", 600],
      ["", 50],
    ]);
    expect(film?.text).toBe("a film https://x.com/owner/status/32/video/1");
  });

  it("tweets of a protected account are for followers", async () => {
    const history = [
      change("2020-03-01T00:00:00.000Z", "Protect"),
      change("2019-01-01T00:00:00.000Z", "Protect"),
      change("2019-02-01T00:00:00.000Z", "Unprotect"),
    ];
    const file = await archiveOf({
      "data/protected-history.js": xFile("protected_history", history),
      "data/tweets.js": xFile("tweets", [xTweet({ id: "35", text: "quiet", at })]),
    });
    const { tweets } = await moveIn(ctx, file);
    expect(tweets).toMatchObject([{ text: "quiet", audience: "followers" }]);
  });

  it("a long text comes whole, as a thread", async () => {
    const words = Array.from({ length: 120 }, (_, nth) => `word${nth}`).join(" ");
    const { tweets } = await bring([{ id: "41", text: `${words.slice(0, 270)}…`, at }], {
      notes: [xNote(words, at)],
    });
    expect(tweets.map(({ text }) => text).join(" ")).toBe(words);
    expect(tweets.map(({ replyTo }) => replyTo?.tweet)).toEqual([
      undefined,
      ...tweets.slice(0, -1).map(({ id }) => id),
    ]);
  });

  it("a preview tells what would come, and nothing is written before its user wants it", async () => {
    const user = await newPerson(ctx);
    const file = await xArchive([
      { id: "51", text: "old", at: "2009-01-02T03:04:05Z" },
      { id: "52", text: "RT @ann: theirs", at },
      { id: "53", text: "new", at },
    ]);
    await previewImport(ctx, user, file);
    const current = await findImport(ctx, user);
    expect(current).toMatchObject({
      place: "x",
      wish: "preview",
      total: 3,
      preview: {
        counts: { tweet: 2 },
        first: "2009-01-02T03:04:05.000000Z",
        last: "2020-05-01T10:00:00.000000Z",
        skipped: { retweet: 1 },
      },
    });
    expect(await textsOf(user)).toEqual([]);
    await steerImport(ctx, user, { id: current?.id ?? "", step: "discard" });
    expect(await findImport(ctx, user)).toBeUndefined();
  });

  it("tweets.js alone is enough, and the same file brings nothing twice", async () => {
    const user = await newPerson(ctx);
    const file = xFile("tweets", [xTweet({ id: "61", text: "alone", at })]);
    expect(await importFile(ctx, user, file)).toMatchObject({ tweets: 1 });
    expect(await importFile(ctx, user, file)).toMatchObject({ tweets: 0, known: 1 });
    expect(await textsOf(user)).toEqual(["alone"]);
  });

  it("items of other shapes are counted, and a file that is cut off writes nothing", async () => {
    const user = await newPerson(ctx);
    const deep = `${'{"tweet":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const good = JSON.stringify(xTweet({ id: "71", text: "good", at }));
    const items = [good, '{"tweet":{"id_str":[7],"full_text":{}}}', deep, "7", "nonsense", '"]"'];
    const file = Buffer.from(`window.YTD.tweets.part0 = [ ${items.join(",")} ]`);
    expect(await importFile(ctx, user, file)).toMatchObject({
      tweets: 1,
      skipped: { malformed: 5 },
    });
    const heir = await newPerson(ctx);
    const refused: [Buffer, string][] = [
      [file.subarray(0, file.length - 3), "import.damaged"],
      [await archiveOf({ "data/tweets.js": file.subarray(0, 50) }), "import.damaged"],
      [await archiveOf({ "data/tweets.js": Buffer.from("alert(1)") }), "import.foreign"],
      [Buffer.from(`window.YTD.tweets.part0 = [${"{},".repeat(200_001)}{}]`), "import.large"],
    ];
    for (const [damaged, problem] of refused)
      await expect(previewImport(ctx, heir, damaged)).rejects.toMatchObject({
        problems: { file: problem },
      });
    expect(await findImport(ctx, heir)).toBeUndefined();
  });
});
