import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeFollowOptions } from "../../src/domain/actions/follow.ts";
import { deleteDraft, saveDraft } from "../../src/domain/actions/save-draft.ts";
import type { Ctx } from "../../src/context.ts";
import { endAppAccess } from "../../src/domain/accounts/keep-back.ts";
import { digestOfAddress, findAddress, replaceAddress } from "../../src/domain/accounts/mail.ts";
import { filtersAtMost, listFilters } from "../../src/domain/graph/filters.ts";
import { muteWord } from "../../src/domain/graph/muted-words.ts";
import type { ClientId, TweetId, UserId } from "../../src/domain/ids.ts";
import { leaveConversation } from "../../src/domain/messages/marks.ts";
import { conversationAmong } from "../../src/domain/messages/people.ts";
import { serializeSubject } from "../../src/domain/moderation/audit.ts";
import { listBlocks } from "../../src/domain/moderation/blocks.ts";
import { keepReport, openCases, resolveReports } from "../../src/domain/moderation/store.ts";
import { muteConversation } from "../../src/domain/notifications/muted-conversations.ts";
import { editProfile } from "../../src/domain/users/settings.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { suspendUser } from "../../src/domain/users/suspension.ts";
import { keys } from "../../src/redis/keys.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { type FullSite, openFullSite } from "../support/world/full-site.ts";

describe("what ends or protects something, in a full memory (R5)", () => {
  let site: FullSite;
  let ctx: Ctx;
  let count = 0;
  beforeAll(async () => {
    site = await openFullSite({ SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "site@example.org" });
    ({ ctx } = site);
  });
  afterAll(() => site.close());

  async function newUser(): Promise<{ visitor: Visitor; user: User }> {
    count += 1;
    const visitor = await site.newcomer(`person_${count}`);
    const user = await getUserByName(ctx, `person_${count}`);
    await site.settled();
    return { visitor, user };
  }

  it("the end of an app's access keeps back what it has scheduled", async () => {
    const { user } = await newUser();
    const app = await ApiClient.of(site, user.name);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    await app.post("/api/v1/statuses", { status: "later", scheduled_at: at }).expect(200);
    await site.whileFull(() => endAppAccess(ctx, user.id, "a".repeat(32) as ClientId));
    const [stored] = Object.values(await ctx.redis.hgetall(keys.savedDrafts(user.id)));
    expect(JSON.parse(stored ?? "")).toMatchObject({ right: { ended: true } });
  });

  it("a scheduled tweet can be cancelled beside another one", async () => {
    const { user } = await newUser();
    const at = Date.now() + 3_600_000;
    const first = await saveDraft(ctx, user.id, { text: "first", at });
    await saveDraft(ctx, user.id, { text: "second", at: at + 60_000 });
    await site.whileFull(() => deleteDraft(ctx, user.id, first.id));
    expect(Number(await ctx.redis.zscore(keys.dueDrafts, user.id))).toBeGreaterThan(at);
  });

  it("a user can be suspended", async () => {
    const { visitor, user } = await newUser();
    await site.whileFull(() => suspendUser(ctx, user));
    await visitor.get("/settings/profile").expect(303);
    expect(await ctx.redis.zscore(keys.suspended, user.id)).not.toBeNull();
  });

  it("reports are closed, and what an earlier decision closed is replaced in the same step", async () => {
    const { user } = await newUser();
    const { user: reporter } = await newUser();
    const subject = { kind: "person", person: user.id } as const;
    const report = { reporter: reporter.id, reason: "other", comment: "", stamp: 1 } as const;
    await keepReport(ctx, subject, report);
    await resolveReports(ctx, subject, "none");
    await keepReport(ctx, subject, { ...report, stamp: 2 });
    await site.whileFull(() => resolveReports(ctx, subject, "acted"));
    expect((await openCases(ctx, undefined)).items).toEqual([]);
    expect(await ctx.redis.hlen(keys.resolvedReports(serializeSubject(subject)))).toBe(1);
  });

  it("an account can be protected, and its profile be cleared", async () => {
    const { visitor, user } = await newUser();
    await editProfile(ctx, user, { bio: "a bird", website: "https://bird.example" });
    await site.settled();
    await site.whileFull(async () => {
      const choices = { audience: "public", repliesFrom: "everyone", messagesFrom: "everyone" };
      await visitor.post("/settings/privacy", { protected: "on", ...choices }).expect(303);
      await editProfile(ctx, user, { bio: "" });
    });
    expect(await getUserByName(ctx, user.name)).toMatchObject({ protected: true, bio: "" });
    await site.settled();
  });

  it("a new password ends all other sessions", async () => {
    const { visitor, user } = await newUser();
    const other = await site.visitorOf(user.name);
    const change = { current_password: password, new_password: "another sparrow, entirely" };
    await site.whileFull(async () => {
      await visitor.post("/settings/account", change).expect(303);
      await other.get("/settings/profile").expect(303);
    });
    await other.post("/login", { name: user.name, password: change.new_password }).expect(303);
    await other.get("/settings/profile").expect(200);
  });

  it("a proof of identity counts for the request that it came with", async () => {
    const { visitor, user } = await newUser();
    const old = Date.now() - 3_600_000;
    for (const key of await ctx.redis.keys("sess:*")) {
      const session = JSON.parse((await ctx.redis.get(key)) ?? "{}") as { user?: UserId };
      if (session.user === user.id)
        await ctx.redis.set(key, JSON.stringify({ ...session, confirmedAt: old }), "KEEPTTL");
    }
    await site.whileFull(async () => {
      const remove = "/settings/security/totp/remove";
      await visitor.post(remove).expect(403);
      await visitor.post(remove, { confirm_password: password }).expect(303);
    });
  });

  it("a conversation is muted and left, and retweets of a user are hidden", async () => {
    const { visitor, user } = await newUser();
    const { user: other } = await newUser();
    await visitor.follow(other.name);
    await visitor.tweet("a tweet");
    const { headers } = await visitor.post("/messages/new", { to: `@${other.name}` }).expect(303);
    await visitor.post(headers["location"] ?? "", { text: "hello" }).expect(303);
    await site.settled();
    const [tweet] = (await ctx.redis.zrange(keys.userTimeline(user.id), 0, "-1")) as TweetId[];
    const id = conversationAmong([user.id, other.id]);
    await site.whileFull(async () => {
      await muteConversation(ctx, user.id, tweet as TweetId);
      await leaveConversation(ctx, other.id, id);
      await changeFollowOptions(
        ctx,
        { follower: user.id, followee: other.id },
        { retweets: false },
      );
    });
    expect(await ctx.redis.zcard(keys.mutedConversations(user.id))).toBe(1);
    expect(await ctx.redis.hget(keys.conversationMarks(other.id), id)).toMatch(/^left:\d+$/);
    expect(await ctx.redis.zscore(keys.withoutRetweets(user.id), other.id)).not.toBeNull();
  });

  it("a mail address is removed", async () => {
    const { visitor, user } = await newUser();
    const address = "bird@example.org";
    await replaceAddress(ctx, user.id, { from: "", to: address, language: "en" });
    await site.settled();
    await site.whileFull(async () => {
      await visitor.post("/settings/account/mail/remove").expect(303);
    });
    expect(await findAddress(ctx, user.id)).toBeUndefined();
    expect(await ctx.redis.exists(keys.mailUsers(digestOfAddress(address)))).toBe(0);
    await site.settled();
  });

  it("a word is muted, a muted word is changed, and more words than the bound are refused", async () => {
    const { visitor, user } = await newUser();
    await site.whileFull(async () => {
      await visitor.post("/settings/muted", { word: "spoiler", duration: "ever" }).expect(303);
      await visitor.post("/settings/muted", { word: "spoiler", duration: "7" }).expect(303);
      for (let nth = 1; nth < filtersAtMost; nth += 1)
        await muteWord(ctx, user.id, { word: `word ${nth}`, days: undefined });
      await visitor.post("/settings/muted", { word: "too many", duration: "ever" }).expect(422);
    });
    expect(await listFilters(ctx, user.id)).toHaveLength(filtersAtMost);
  });

  it("an admin blocks an address and a domain", async () => {
    const { visitor, user } = await newUser();
    await ctx.redis.hset(keys.user(user.id), "role", "admin");
    await site.whileFull(async () => {
      for (const [kind, text] of [
        ["address", "192.0.2.0/24"],
        ["domain", "spam.example"],
      ] as const)
        await visitor.post("/admin/blocks", { kind, text }).expect(303);
    });
    expect(await listBlocks(ctx)).toHaveLength(2);
  });
});
