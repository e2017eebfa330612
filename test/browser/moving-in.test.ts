import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Key } from "../../src/web/languages/translator.ts";
import { picture } from "../support/data/pictures.ts";
import { xArchive } from "../support/data/x-archive.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { Reader, readers } from "./readers.ts";

describe("users who move in, in a browser", () => {
  let site: BrowserSite;
  let outside: Server;
  /** Everyone's website, which links back to all profiles. */
  let website = "";
  beforeAll(async () => {
    site = await openSite({ pushToLoopback: true, accountPictureBytes: 1_000_000 });
    site.world.ctx.config.baseUrl = site.url;
    const links = readers.map(({ name }) => `<a rel="me" href="${site.url}/@${name}">me</a>`);
    outside = createServer((_req, res) =>
      res.setHeader("Content-Type", "text/html").end(links.join("")),
    );
    await once(outside.listen(0, "127.0.0.1"), "listening");
    website = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
    for (const { name } of readers) await site.world.newcomer(name);
  });
  /** The queue of the jobs of imports. While it is paused, an import can be paused in time. */
  const imports = () => site.world.queues.all().find((queue) => queue.name === "accounts");
  afterAll(async () => {
    await site.close();
    outside.close();
  });

  describe.for(readers)("$how", (options) => {
    const profile = `/@${options.name}`;
    let reader: Reader;
    beforeAll(async () => {
      reader = await Reader.open(site, options);
    });
    afterAll(() => reader.close());
    afterEach(() => imports()?.resume());

    it("an archive of X is looked at, imported with a pause, and taken back", async () => {
      const { page, words } = reader;
      const shown = page.locator("#import-progress");
      const state = (key: Key) => shown.filter({ hasText: words.t(key) }).waitFor();
      await page.goto("/settings/data");
      await page.getByLabel(words.t("data.file")).setInputFiles(await archive());
      await reader.press("data.import");
      await state("data.previewHint");
      await reader.reads("data.has.tweet", words.counted(3));
      await reader.looks();
      await imports()?.pause();
      await reader.press("data.step.start");
      await state("data.underWay");
      await reader.looks();
      await reader.press("data.step.pause");
      await state("data.paused");
      await reader.press("data.step.resume");
      await state("data.underWay");
      await imports()?.resume();
      await untilState(reader, "data.done");
      await reader.reads("data.tweets", words.counted(3));
      await page.goto(profile);
      await page.getByText("just setting up").first().waitFor();
      await page.getByAltText("a wall").waitFor();
      await page.goto("/settings/data");
      await reader.press("data.step.undo");
      await untilState(reader, "data.undone");
      await reader.looks();
      await page.goto(profile);
      expect(await page.getByText("just setting up").count()).toBe(0);
    });

    it("the room of an account is shown, with its texts once they are counted", async () => {
      const { page, words } = reader;
      const [size, most] = [words.size(0), words.size(1_000_000)];
      await page.goto("/settings/data");
      await reader.reads("data.storagePicturesOf", { size, most });
      await reader.press("data.storageCount");
      await finishJobs(site.world);
      const [counted = ""] = words.t("data.storageTexts", { size, time: "|" }).split("|");
      await reader.finds(counted.trim(), "/settings/data");
      await reader.looks();
    });

    it("a website that links back is marked on the profile", async () => {
      await reader.page.goto("/settings/profile");
      await reader.page.getByLabel(reader.words.t("settings.website")).fill(website);
      await reader.press("settings.save");
      await finishJobs(site.world);
      await reader.finds(reader.words.t("profile.verified"), profile);
      await reader.looks();
    });
  });
});

/** Three tweets, one of them with a picture, and a retweet. */
async function archive() {
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
  return { name: "twitter-2026.zip", mimeType: "application/zip", buffer };
}

/** Waits until an import has come so far. Its page renews itself, or is loaded again by its link. */
async function untilState({ page, words }: Reader, state: Key): Promise<void> {
  const shown = page.locator("#import-progress");
  const again = shown.getByRole("link", { name: words.t("data.lookAgain") });
  await expect
    .poll(async () => {
      // Without a script the link stays until it is pressed.
      await again.click({ timeout: 500 }).catch(() => {});
      return await shown.innerText();
    })
    .toContain(words.t(state));
}
