import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promiseDigests } from "../../src/domain/accounts/digest.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { promiseDueDrafts } from "../../src/domain/actions/send-draft.ts";
import { endDuePolls } from "../../src/domain/actions/vote.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { localTime } from "../../src/domain/users/time-zone.ts";
import { keys } from "../../src/redis/keys.ts";
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
    for (const { name } of [{ name: "friend" }, ...readers]) await site.world.newcomer(name);
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

    it("a draft is kept, and sent at a time in the zone of its author", async () => {
      const { page, words } = reader;
      await page.goto("/");
      await page.getByLabel(words.t("compose.tweetPrompt")).fill("Good morning, Tokyo");
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
      await reader.looks();
      site.world.pass(hour + minute);
      await promiseDueDrafts(site.world.ctx);
      await reader.finds("Good morning, Tokyo", profile);
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
      await reader.press("compose.tweetSend");
      await reader.finds("birch", profile);
      await reader.reads("poll.voters", words.counted(0));
      await reader.looks();
      const { id: friend } = await getUserByName(ctx, "friend");
      const poll = { choices: ["tea", "coffee"], seconds: 3600, several: false };
      const id = await postTweet(ctx, friend, { text: `What will ${name} drink?`, poll });
      await page.goto(`/tweets/${id}`);
      await page.getByLabel("tea").check();
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
    });

    it("old tweets go once their author has seen which", async () => {
      const { page, words } = reader;
      const { ctx } = site.world;
      const then = { ...ctx, now: () => ctx.now() - 40 * day };
      for (const text of ["old news", "older than a month"])
        await postTweet(then, await ownId(), { text });
      await page.goto("/settings/old-tweets");
      await page.getByLabel(words.t("oldTweets.after")).selectOption("30");
      await reader.press("oldTweets.look");
      await reader.reads("oldTweets.preview", words.counted(2));
      await page.getByText("older than a month").waitFor();
      await reader.looks();
      await reader.press("oldTweets.save");
      await reader.reads("oldTweets.saved");
      await finishJobs(site.world);
      await page.goto(profile);
      await page.getByText("Good morning, Tokyo").first().waitFor();
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
      await postTweet(ctx, friend, { text: `@${name} where are you?` });
      await finishJobs(site.world);
      await promiseDigests(ctx);
      const { text } = await mails.mailTo(address.mail);
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
