import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promiseDigests } from "../../src/domain/accounts/digest.ts";
import { pinTweet } from "../../src/domain/actions/pin-tweet.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { promiseDueDrafts } from "../../src/domain/actions/send-draft.ts";
import { endDuePolls } from "../../src/domain/actions/vote.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { localTime } from "../../src/domain/users/time-zone.ts";
import { keys } from "../../src/redis/keys.ts";
import { password } from "../support/actors/visitor.ts";
import { picture } from "../support/data/pictures.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { type MailServer, startMailServer } from "../support/world/mail-server.ts";
import { Reader, readers } from "./readers.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const zone = "Asia/Tokyo";

describe("what comes later by itself, in a browser", () => {
  let site: BrowserSite;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await startMailServer();
    site = await openSite({ smtpUrl: mails.url, mailFrom: "site@example.org" });
    site.world.ctx.config.baseUrl = site.url;
    const [, shy] = [await site.world.newcomer("friend"), await site.world.newcomer("shy")];
    for (const { name } of readers) {
      const visitor = await site.world.newcomer(name);
      for (const followee of ["friend", "shy"]) await visitor.follow(followee);
    }
    const choices = { audience: "public", repliesFrom: "everyone", messagesFrom: "everyone" };
    await shy.post("/settings/privacy", { ...choices, protected: "on" }).expect(303);
  });
  afterAll(async () => {
    await site.close();
    await mails.close();
  });

  describe.for(readers)("$how", (options) => {
    const { name } = options;
    const profile = `/@${name}`;
    let reader: Reader;
    beforeAll(async () => {
      reader = await Reader.open(site, options);
    });
    afterAll(() => reader.close());
    const ownId = async () => (await getUserByName(site.world.ctx, name)).id;

    it("a draft is kept with all that it has, and sent at a time in the zone of its author", async () => {
      const { page, words } = reader;
      const image = { name: "a.png", mimeType: "image/png", buffer: await picture("png") };
      await page.goto("/");
      await page.getByLabel(words.t("compose.tweetPrompt")).fill("Good morning, Tokyo");
      await page.getByTitle(words.t("compose.warning")).click();
      await page.getByLabel(words.t("compose.warning")).fill("Early birds");
      await page.getByTitle(words.t("compose.pictures")).click();
      await page.getByLabel(words.t("compose.choosePictures")).setInputFiles(image);
      await page.getByLabel(words.t("compose.describe", { number: "1" })).fill("a sunrise");
      await page.getByLabel(words.t("compose.audience")).selectOption("followers");
      await reader.looks();
      await reader.press("drafts.save");
      await reader.reads("drafts.saved");
      await reader.looks();
      await page.goto("/drafts");
      await page.locator("#zone").selectOption(zone);
      await reader.press("drafts.zoneSave");
      await page.getByRole("link", { name: words.t("drafts.open") }).click();
      await reader.reads("drafts.whenHint", { zone });
      const at = Math.ceil((site.world.ctx.now() + hour) / minute) * minute;
      await page.getByLabel(words.t("drafts.when")).fill(localTime(at, zone));
      await reader.press("drafts.schedule");
      const styles = { dateStyle: "long", timeStyle: "short", timeZone: zone } as const;
      const time = new Intl.DateTimeFormat(words.language, styles).format(at);
      await reader.reads("drafts.sentAt", { time });
      await reader.reads("audience.followers");
      await page.getByAltText("a sunrise").waitFor();
      await reader.looks();
      site.world.pass(hour + minute);
      await promiseDueDrafts(site.world.ctx);
      await reader.finds("Early birds", profile);
      await page.getByText("Early birds").first().click();
      await page.getByText("Good morning, Tokyo").first().waitFor();
      await page.getByAltText("a sunrise").first().waitFor();
      await page.goto("/drafts");
      await reader.reads("drafts.empty");
    });

    it("a poll is asked, and another one voted in until its end is told", async () => {
      const { page, words } = reader;
      const { ctx } = site.world;
      await page.goto("/");
      await page.getByLabel(words.t("compose.tweetPrompt")).fill("Which tree?");
      await reader.press("poll.title");
      await reader.reads("problem.poll.ask");
      for (const [nth, tree] of ["birch", "rowan"].entries())
        await page.getByLabel(words.t("poll.choice", { number: String(nth + 1) })).fill(tree);
      await reader.looks();
      await reader.tweets("birch");
      await reader.finds("birch", profile);
      await reader.reads("poll.voters", words.counted(0));
      await reader.looks();
      const { id: friend } = await getUserByName(ctx, "friend");
      const poll = { choices: ["tea", "coffee"], seconds: 3600, several: true };
      const id = await postTweet(ctx, friend, { text: `What will ${name} drink?`, poll });
      await page.goto(`/tweets/${id}`);
      for (const drink of ["tea", "coffee"]) await page.getByLabel(drink).check();
      await reader.looks();
      await reader.press("poll.vote");
      await reader.reads("poll.own");
      await reader.reads("poll.voters", words.counted(1));
      await reader.looks();
      site.world.pass(hour + minute);
      await endDuePolls(ctx);
      await finishJobs(site.world);
      await page.goto("/notifications");
      await page.locator(".notification.poll").first().waitFor();
      await reader.looks();
      await page.goto(`/tweets/${id}`);
      await reader.reads("poll.over");
    });

    it("old tweets go once their author has seen which", async () => {
      const { page, words } = reader;
      const { ctx } = site.world;
      const then = { ...ctx, now: () => ctx.now() - 40 * day };
      for (const text of ["old news", "older than a month"])
        await postTweet(then, await ownId(), { text });
      const pinned = await postTweet(then, await ownId(), { text: "as old, but pinned" });
      await pinTweet(ctx, await ownId(), pinned);
      await page.goto("/settings/old-tweets");
      await page.getByLabel(words.t("oldTweets.after")).selectOption("30");
      await reader.press("oldTweets.look");
      await reader.reads("oldTweets.preview", words.counted(2));
      await page.getByText("older than a month").waitFor();
      await reader.looks();
      await reader.press("oldTweets.save");
      await page.getByLabel(words.t("accounts.password")).fill(password);
      await reader.looks();
      await reader.press("confirm.confirm");
      await reader.reads("oldTweets.saved");
      await finishJobs(site.world);
      await page.goto(profile);
      await page.getByText("as old, but pinned").first().waitFor();
      await page.getByText("Early birds").first().waitFor();
      expect(await page.getByText(/old news|older than/).count()).toBe(0);
    });

    it("a weekly mail is wanted, comes, and ends by the link in it", async () => {
      const { page, words } = reader;
      const { ctx } = site.world;
      const address = { mail: `${name}@example.org`, mail_language: words.language };
      await ctx.redis.hset(keys.user(await ownId()), address);
      await page.goto("/settings/account/mail");
      await reader.reads("digest.off");
      await reader.press("digest.start");
      await reader.reads("digest.on");
      await reader.looks();
      site.world.pass(7 * day);
      const { id: friend } = await getUserByName(ctx, "friend");
      const { id: shy } = await getUserByName(ctx, "shy");
      await postTweet(ctx, friend, { text: `@${name} where are you?` });
      await postTweet(ctx, friend, { text: "News for all" });
      await postTweet(ctx, shy, { text: "Only for followers" });
      await finishJobs(site.world);
      await promiseDigests(ctx);
      const { text } = await mails.mailTo(address.mail);
      expect(text).toContain("News for all");
      expect(text).not.toContain("Only for followers");
      const [link = ""] = /http:\S+\/unsubscribe\/\S+/.exec(text) ?? [];
      await page.goto(link);
      await reader.reads("digest.question");
      await reader.looks();
      await reader.press("digest.stop");
      await reader.reads("digest.ended");
      await page.goto("/settings/account/mail");
      await reader.reads("digest.off");
    });
  });
});
