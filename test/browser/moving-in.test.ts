import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pictureBytes } from "../../src/domain/pictures/stored-bytes.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { picture } from "../support/data/pictures.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { archiveOfBluesky, archiveOfMastodon, archiveOfX, Mover } from "./movers.ts";
import { Reader, readers } from "./readers.ts";

const quota = 1_000_000;

describe("users who move in, in a browser", () => {
  let site: BrowserSite;
  let outside: Server;
  /** Everyone's website, which links back to all profiles. It is the hub of the feeds, too. */
  let website = "";
  /** What the hub was told. */
  const pings: string[] = [];
  beforeAll(async () => {
    const links: string[] = [];
    outside = createServer((req, res) => {
      if (req.method === "POST") void text(req).then((ping) => pings.push(ping));
      res.setHeader("Content-Type", "text/html").end(links.join(""));
    });
    await once(outside.listen(0, "127.0.0.1"), "listening");
    website = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
    site = await openSite({ pushToLoopback: true, accountPictureBytes: quota, websubHub: website });
    site.world.ctx.config.baseUrl = site.url;
    for (const { name } of readers) {
      links.push(`<a rel="me" href="${site.url}/@${name}">me</a>`);
      for (const one of [name, `${name}_heir`]) await site.world.newcomer(one);
    }
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
    let mover: Mover;
    beforeAll(async () => {
      reader = await Reader.open(site, options);
      mover = new Mover(reader, options.name);
    });
    afterAll(() => reader.close());
    afterEach(async () => {
      await imports()?.resume();
      site.world.ctx.config.accountPictureBytes = quota;
    });

    it("an archive of X is looked at, imported with a pause, and taken back", async () => {
      const archive = await archiveOfX();
      await mover.looksAt(archive);
      await reader.looks();
      await imports()?.pause();
      await reader.press("data.step.start");
      await mover.waitsFor("data.underWay");
      await reader.looks();
      await reader.press("data.step.pause");
      await mover.waitsFor("data.paused");
      await reader.press("data.step.resume");
      await mover.waitsFor("data.underWay");
      await imports()?.resume();
      await mover.has(archive);
      await mover.takesBack();
    });

    it("an archive of Mastodon is imported, exported as one again, and imported by another account", async () => {
      const archive = await archiveOfMastodon();
      await mover.looksAt(archive);
      await reader.press("data.step.start");
      await mover.has(archive);
      const file = await mover.downloads("data.exportMastodon");
      const name = `${options.name}_heir`;
      const heir = await Reader.open(site, { ...options, name });
      const other = new Mover(heir, name);
      await other.looksAt({ ...archive, file, leftOut: [] });
      await heir.press("data.step.start");
      await other.has(archive);
      await heir.close();
      await mover.takesBack();
    });

    it("an archive of Bluesky that is cut off is refused, and the whole one imported and taken back", async () => {
      const archive = await archiveOfBluesky();
      const buffer = archive.file.buffer.subarray(0, -30);
      await mover.sends({ ...archive.file, buffer });
      await reader.reads("problem.import.damaged");
      await reader.looks();
      await mover.looksAt(archive);
      await reader.press("data.step.start");
      await mover.has(archive);
      await mover.takesBack();
    });

    it("the room of an account is shown, and the composer says when it is nearly full and when it is full", async () => {
      const { page, words } = reader;
      const { config } = site.world.ctx;
      const { id } = await getUserByName(site.world.ctx, options.name);
      const sends = async (what: string) => {
        const buffer = await picture("png", { width: 900, height: 600 });
        const image = { name: "a.png", mimeType: "image/png", buffer };
        await page.goto("/");
        await page.getByLabel(words.t("compose.tweetPrompt")).fill(what);
        await page.getByTitle(words.t("compose.pictures")).click();
        await page.getByLabel(words.t("compose.choosePictures")).setInputFiles(image);
      };
      await sends("My wall");
      await reader.tweets("My wall");
      const bytes = await pictureBytes(site.world.ctx, id);
      config.accountPictureBytes = Math.floor(bytes / 0.95);
      const [size, most] = [words.size(bytes), words.size(config.accountPictureBytes)];
      await page.goto("/settings/data");
      await reader.reads("data.storagePicturesOf", { size, most });
      await reader.press("data.storageCount");
      await finishJobs(site.world);
      const [counted = ""] = words
        .t("data.storageTexts", { size: words.size(0), time: "|" })
        .split("|");
      await reader.finds(counted.trim(), "/settings/data");
      await reader.looks();
      await sends("Another wall");
      await reader.reads("compose.nearlyFull", { size, most });
      config.accountPictureBytes = bytes;
      await reader.press("compose.tweetSend");
      await reader.reads("problem.picture.quota");
      await reader.looks();
    });

    it("a website that links back is marked, and programs outside find the profile, its tweets and their hub", async () => {
      const { words } = reader;
      await reader.page.goto("/settings/profile");
      await reader.page.getByLabel(words.t("settings.website")).fill(website);
      await reader.press("settings.save");
      await finishJobs(site.world);
      await reader.finds(words.t("profile.verified"), profile);
      await reader.looks();
      await reader.page.goto("/");
      await reader.page.getByLabel(words.t("compose.tweetPrompt")).fill("Hello outside");
      await reader.tweets("Hello outside");
      await finishJobs(site.world);
      expect(pings.at(-1)).toContain(encodeURIComponent(`${site.url}${profile}.rss`));

      const { page, close } = await site.openPage(undefined, options.browser);
      await page.goto(profile);
      await page.locator(`.h-card a.u-url[rel~="me"][href="${website}"]`).waitFor();
      await page.getByText(words.t("profile.verified")).first().waitFor();
      const entry = page.locator(".h-feed .h-entry").filter({ hasText: "Hello outside" });
      await entry.locator(".e-content").waitFor();
      await entry.locator("time.dt-published").first().waitFor();
      const feed = page.locator('link[rel="alternate"][type="application/rss+xml"]').first();
      const answer = await page.request.get((await feed.getAttribute("href")) ?? "");
      expect(await answer.text()).toContain("Hello outside");
      expect(answer.headers()["link"]).toContain(`<${website}>; rel="hub"`);
      await close();
    });
  });
});
