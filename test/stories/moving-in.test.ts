import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { carFile, post, postPath } from "../support/data/bluesky-archive.ts";
import { announce, create, mastodonArchive, postId } from "../support/data/mastodon-archive.ts";
import { picture } from "../support/data/pictures.ts";
import { xArchive } from "../support/data/x-archive.ts";
import { alertsOn } from "../support/inspect/page.ts";
import { closeChecked, finishJobs } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const path = "/settings/data";

const send = (who: Visitor, file: Buffer, name: string) =>
  who.agent.post(path).attach("file", file, name);
const page = async (who: Visitor) => (await who.get(path).expect(200)).text;
const textsOf = async (who: Visitor) => (await who.see(`/@${who.name}`)).map(({ text }) => text);

/** Users who come from other places, without JavaScript. */
describe("moving in", () => {
  let world: World;
  let ann: Visitor;
  let haru: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    ann = await world.newcomer("ann");
    haru = await world.newcomer("haru", "ja");
  });
  afterAll(() => closeChecked(world));

  it("ann sees what her archive of X has, brings it, and takes it back", async () => {
    const media = [{ name: "A.jpg", short: "https://t.co/pic", description: "a wall" }];
    const file = await xArchive(
      [
        { id: "11", text: "just setting up", at: "2009-03-04T05:06:07Z" },
        { id: "12", text: "and on", at: "2009-03-04T05:08:07Z", replyTo: "11" },
        { id: "13", text: "@bob look https://t.co/pic", at: "2019-08-09T10:11:12Z", media },
        { id: "14", text: "RT @bob: his words", at: "2019-08-10T10:11:12Z" },
      ],
      { pictures: { "13-A.jpg": await picture("jpeg") } },
    );
    await send(ann, file, "twitter-2026.zip").expect(303);
    const preview = await page(ann);
    expect(preview).toMatch(/This file from X.*Nothing has been imported yet/s);
    expect(preview).toContain("Tweets from March 4, 2009 to August 9, 2019.");
    expect(preview).toMatch(/3 tweets\..*1 picture\..*1 skipped: retweet/s);
    expect(await textsOf(ann)).toEqual([]);

    await ann.steerImport("start");
    await finishJobs(world);
    const done = await page(ann);
    expect(done).toMatch(/Done.*4 of 4.*3 tweets imported.*1 picture imported/s);
    expect(await textsOf(ann)).toEqual(["x.com/bob look", "and on", "just setting up"]);
    const profile = (await ann.get("/@ann").expect(200)).text;
    expect(profile).toContain('alt="a wall"');
    expect(profile).toContain('href="https://x.com/bob"');
    const [, thread] = await ann.see("/@ann");
    expect((await ann.see(`/tweets/${thread?.id}`)).map(({ text }) => text)).toContain(
      "just setting up",
    );

    await ann.steerImport("undo");
    await finishJobs(world);
    expect(await page(ann)).toMatch(/Removed.*3 tweets and follows removed/s);
    expect(await textsOf(ann)).toEqual([]);
  });

  it("a file in the middle of another import is refused, so that what came can be taken back", async () => {
    const cat = await world.newcomer("cat");
    const file = await xArchive([{ id: "11", text: "old", at: "2009-03-04T05:06:07Z" }]);
    await send(cat, file, "one.zip").expect(303);
    const { id } = await getUserByName(world.ctx, "cat");
    await world.ctx.redis.hset(keys.import(id), { wish: "paused" });
    expect((await send(cat, file, "two.zip").expect(422)).text).toContain("has not ended");
    expect(await page(cat)).toContain("Paused");
    await cat.steerImport("undo");
    await finishJobs(world);
    await send(cat, file, "two.zip").expect(303);
  });

  it("はるがMastodonのアーカイブを取り込む", async () => {
    const items = [
      create({ id: "1", html: "<p>一つ目</p>", at: "2021-05-06T07:08:09Z", language: "ja" }),
      create({ id: "2", html: "<p>続き</p>", at: "2021-05-06T07:09:09Z", replyTo: postId("1") }),
      announce("3", "2021-05-07T07:08:09Z"),
      create({ id: "4", html: "<p>内緒</p>", at: "2021-05-08T07:08:09Z", audience: "direct" }),
    ];
    await send(haru, await mastodonArchive(items), "archive.zip").expect(303);
    const preview = await page(haru);
    expect(preview).toMatch(/Mastodonのファイル.*まだ何も取り込んでいません/s);
    expect(preview).toMatch(/2021年5月6日から2021年5月6日まで.*ツイート2件。/s);
    expect(preview).toContain("1件を除外：特定の人だけに宛てたものです。");
    await haru.steerImport("start");
    await finishJobs(world);
    expect(await page(haru)).toMatch(/完了.*ツイート2件を取り込みました/s);
    expect(await textsOf(haru)).toEqual(["続き", "一つ目"]);
  });

  it("a repository of Bluesky that is not wanted leaves nothing", async () => {
    const posts = { [postPath("3ka")]: post("blue", "2024-02-03T04:05:06Z") };
    await send(ann, carFile(posts), "repo.car").expect(303);
    expect(await page(ann)).toMatch(/This file from Bluesky.*1 tweet\./s);
    await ann.steerImport("discard");
    expect(await page(ann)).not.toContain("This file from");
    expect(await textsOf(ann)).toEqual([]);
  });

  it("a damaged file gets a sentence in the user's language", async () => {
    const whole = carFile({ [postPath("3ka")]: post("blue", "2024-02-03T04:05:06Z") });
    const sentences = {
      "This file is damaged or was cut off. Please download it there once more.": ann,
      "ファイルが壊れているか、途中で切れています。元のサービスでもう一度ダウンロードしてください。":
        haru,
    };
    for (const [sentence, who] of Object.entries(sentences)) {
      const { text } = await send(who, whole.subarray(0, -20), "repo.car").expect(422);
      expect(alertsOn(text)).toEqual([sentence]);
    }
  });
});
