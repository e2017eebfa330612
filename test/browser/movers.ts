import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import type { Key } from "../../src/web/languages/translator.ts";
import { archiveOf } from "../support/data/account-files.ts";
import { carFile, post, postPath, postUri, rawLink } from "../support/data/bluesky-archive.ts";
import { announce, create, outbox, postId } from "../support/data/mastodon-archive.ts";
import { picture } from "../support/data/pictures.ts";
import { xArchive } from "../support/data/x-archive.ts";
import type { Reader } from "./readers.ts";

/** A tweet that an archive has. */
export interface OldTweet {
  text: string;
  /** In its time, at UTC. */
  day: string;
  /** Description of its picture. */
  alt?: string;
}

interface Archive {
  place: string;
  file: { name: string; mimeType: string; buffer: Buffer };
  tweets: readonly OldTweet[];
  /** Messages of the preview for what is left out, one of each. */
  leftOut: readonly Key[];
}

/** A thread of two, a tweet with a picture, and a retweet. */
export async function archiveOfX(): Promise<Archive> {
  const media = [{ name: "A.jpg", short: "https://t.co/pic", description: "a wall" }];
  const buffer = await xArchive(
    [
      { id: "11", text: "just setting up", at: "2009-03-04T05:06:07Z" },
      { id: "12", text: "and on", at: "2009-03-04T05:08:07Z", replyTo: "11" },
      { id: "13", text: "look https://t.co/pic", at: "2019-08-09T10:11:12Z", media },
      { id: "14", text: "RT @bob: his words", at: "2019-08-10T10:11:12Z" },
    ],
    { pictures: { "13-A.jpg": await picture("jpeg") } },
  );
  return {
    place: "X",
    file: { name: "twitter-2026.zip", mimeType: "application/zip", buffer },
    tweets: [
      { text: "just setting up", day: "2009-03-04" },
      { text: "and on", day: "2009-03-04" },
      { text: "look", day: "2019-08-09", alt: "a wall" },
    ],
    leftOut: ["data.skipped.retweet"],
  };
}

/** In a folder: a thread of two, the second with a picture, a boost and a private mention. */
export async function archiveOfMastodon(): Promise<Archive> {
  const attachments = [{ file: "1/original/a.png", description: "a mammoth" }];
  const items = [
    create({ id: "1", html: "<p>今日は</p>", at: "2021-05-06T07:08:09Z", language: "ja" }),
    create({
      id: "2",
      html: "<p>go on</p>",
      at: "2021-05-06T07:09:09Z",
      replyTo: postId("1"),
      attachments,
    }),
    announce("3", "2021-05-07T07:08:09Z"),
    create({ id: "4", html: "<p>secret</p>", at: "2021-05-08T07:08:09Z", audience: "direct" }),
  ];
  const buffer = await archiveOf({
    "archive/actor.json": Buffer.from("{}"),
    "archive/outbox.json": outbox(items),
    "archive/media_attachments/files/1/original/a.png": await picture("png"),
  });
  return {
    place: "Mastodon",
    file: { name: "archive.zip", mimeType: "application/zip", buffer },
    tweets: [
      { text: "今日は", day: "2021-05-06" },
      { text: "go on", day: "2021-05-06", alt: "a mammoth" },
    ],
    leftOut: ["data.skipped.retweet", "data.skipped.private"],
  };
}

/** The repository beside its blobs: a thread of two, the first with a picture. */
export async function archiveOfBluesky(): Promise<Archive> {
  const bytes = await picture("jpeg");
  const ref = rawLink(bytes);
  const image = { $type: "blob", ref, mimeType: "image/jpeg", size: bytes.length };
  const embed = { $type: "app.bsky.embed.images", images: [{ alt: "a sky", image }] };
  const buffer = await archiveOf({
    "repo.car": carFile({
      [postPath("3ka")]: post("blue", "2024-02-03T04:05:06.000Z", { embed }),
      [postPath("3kb")]: post("still blue", "2024-02-04T04:05:06.000Z", {
        replyTo: postUri("3ka"),
      }),
    }),
    [`blobs/${ref.toString()}.jpg`]: bytes,
  });
  return {
    place: "Bluesky",
    file: { name: "bluesky.zip", mimeType: "application/zip", buffer },
    tweets: [
      { text: "blue", day: "2024-02-03", alt: "a sky" },
      { text: "still blue", day: "2024-02-04" },
    ],
    leftOut: [],
  };
}

/** Uses the page of the import. */
export class Mover {
  readonly #reader: Reader;
  readonly #profile: string;

  constructor(reader: Reader, name: string) {
    this.#reader = reader;
    this.#profile = `/@${name}`;
  }

  async sends(file: Archive["file"]): Promise<void> {
    const { page, words } = this.#reader;
    await page.goto("/settings/data");
    await page.getByLabel(words.t("data.file")).setInputFiles(file);
    await this.#reader.press("data.import");
  }

  /** Sends an archive, and compares the preview with it. */
  async looksAt({ place, file, tweets, leftOut }: Archive): Promise<void> {
    const reader = this.#reader;
    const [before = ""] = reader.words.t("data.previewOf", { place, time: "|" }).split("|");
    const pictures = tweets.filter(({ alt }) => alt !== undefined).length;
    await this.sends(file);
    await this.waitsFor("data.previewHint");
    await reader.page.locator("#import-progress").getByText(before.trim()).waitFor();
    await reader.reads("data.has.tweet", reader.words.counted(tweets.length));
    await reader.reads("data.has.picture", reader.words.counted(pictures));
    for (const why of leftOut) await reader.reads(why, reader.words.counted(1));
  }

  /** Waits until the import has come so far. Its page renews itself, or is loaded again by its link. */
  async waitsFor(state: Key): Promise<void> {
    const { page, words } = this.#reader;
    const shown = page.locator("#import-progress");
    const again = shown.getByRole("link", { name: words.t("data.lookAgain") });
    await expect
      .poll(async () => {
        const progress = await shown.innerText();
        // Without a script the link stays until it is pressed.
        if (!progress.includes(words.t(state))) await again.click({ timeout: 500 }).catch(() => {});
        return progress;
      })
      .toContain(words.t(state));
  }

  /** Waits for the end of the import. Then the profile has the tweets, with their dates and pictures. */
  async has({ tweets }: Archive): Promise<void> {
    const { page, words } = this.#reader;
    await this.waitsFor("data.done");
    await this.#reader.reads("data.tweets", words.counted(tweets.length));
    await page.goto(this.#profile);
    for (const { text, day, alt } of tweets) {
      const tweet = page
        .getByRole("article")
        .filter({ has: page.getByText(text, { exact: true }) });
      await tweet.locator(`time[datetime^="${day}"]`).first().waitFor();
      if (alt !== undefined) await tweet.getByAltText(alt).waitFor();
    }
  }

  async takesBack(): Promise<void> {
    const { page } = this.#reader;
    await page.goto("/settings/data");
    await this.#reader.press("data.step.undo");
    await this.waitsFor("data.undone");
    await page.goto(this.#profile);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(await page.getByRole("article").count()).toBe(0);
  }

  /** The file behind a link of the page. */
  async downloads(label: Key): Promise<Archive["file"]> {
    const { page, words } = this.#reader;
    await page.goto("/settings/data");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: words.t(label) }).click();
    const path = await (await download).path();
    const name = (await download).suggestedFilename();
    return { name, mimeType: "application/zip", buffer: await readFile(path) };
  }
}
