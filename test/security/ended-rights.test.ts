import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changePassword } from "../../src/domain/accounts/change-password.ts";
import { deleteAccount, eraseAccount } from "../../src/domain/accounts/erase.ts";
import { deliverTweet } from "../../src/domain/actions/deliver-tweet.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { endAllApps } from "../../src/domain/apps/tokens.ts";
import { type TweetId, tweetId, type UserId } from "../../src/domain/ids.ts";
import { conversationAmong, conversationPath } from "../../src/domain/messages/people.ts";
import { readTweets } from "../../src/domain/tweets/store.ts";
import type { Tweet } from "../../src/domain/tweets/tweet.ts";
import { closeAllSessions } from "../../src/domain/users/sessions.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { suspendUser } from "../../src/domain/users/suspension.ts";
import { keys } from "../../src/redis/keys.ts";
import { createApp } from "../../src/web/app.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { asAnotherRequest } from "../support/actors/author.ts";
import { password } from "../support/actors/visitor.ts";
import { sessionCookie } from "../support/inspect/cookies.ts";
import { endingAfter, pausingAfter, untilEnded } from "../support/world/ending-process.ts";
import { serve } from "../support/world/serve.ts";
import { serveSlowly, type SlowSite } from "../support/world/slow-site.ts";
import { appOptions, createWorld, type World } from "../support/world/world.ts";

const noProgress = { done: 0, save: async () => {} };
const type = "multipart/form-data; boundary=x";

const part = (head: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name=${head}\r\n\r\n${value}\r\n`;
/** Longer than forms of the composer that are read before the session. */
const longTweet = `${part("text", "too late")}${part("one", "a".repeat(60_000))}${part("two", "a".repeat(60_000))}--x--\r\n`;
const picture = (field: string) => `${part(`${field}; filename=a.png`, "no picture")}--x--\r\n`;

describe("rights that end while a request is under way", () => {
  let world: World;
  let site: SlowSite;
  const during: SlowSite["during"] = (...form) => site.during(...form);
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    site = await serveSlowly(world.app);
  });
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  let count = 0;
  const newUser = async () => {
    const name = `user${(count += 1)}`;
    const cookie = sessionCookie(await world.visitor().signUp(name));
    return { cookie, name, user: await getUserByName(world.ctx, name) };
  };

  const erase = async (user: User) => {
    await deleteAccount(world.ctx, user, { name: user.name, password });
    for (const pass of ["first", "last"] as const)
      await eraseAccount(world.ctx, { user: user.id, pass });
  };
  const change = async (user: User) =>
    void (await changePassword(world.ctx, user, { current: password, next: "another horse 43" }));
  const endings = {
    "a new password": change,
    "a suspension": (user: User) => suspendUser(world.ctx, user),
    "the end of the account": erase,
    "a log-out elsewhere": (user: User) => closeAllSessions(world.ctx, user.id),
    "the end of all apps": (user: User) => endAllApps(world.ctx, user.id),
  };
  type Ending = keyof typeof endings;
  const ofSessions = Object.keys(endings).filter((one) => one !== "the end of all apps");
  const ofTokens = Object.keys(endings).filter((one) => one !== "a log-out elsewhere");

  /** The tweet that was written last, listed or not. */
  const newestOf = async (user: UserId) => {
    const newest = tweetId((await world.ctx.redis.get(keys.tweetIds)) ?? 1);
    const [tweet] = await readTweets(world.ctx, [newest]);
    return tweet?.author === user ? tweet : undefined;
  };

  it.each(ofSessions)("a tweet whose form arrives during %s is not posted", async (ending) => {
    const { cookie, user } = await newUser();
    const form = { path: "/tweets", cookie, type, body: longTweet };
    const answer = await during(form, () => endings[ending as Ending](user));
    expect(answer).toContain("\r\nLocation: /login");
    expect(await newestOf(user.id)).toBeUndefined();
  });

  it.each(["/settings/avatar", "/settings/header", "/start", "/settings/data"])(
    "a file sent to %s is refused when the password changed before it had arrived",
    async (path) => {
      const { cookie, user } = await newUser();
      const body = picture(
        path === "/settings/data"
          ? "file"
          : path === "/start"
            ? "avatar"
            : (path.split("/").at(-1) ?? ""),
      );
      const answer = await during({ path, cookie, type, body }, () => change(user));
      expect(answer).toContain("\r\nLocation: /login");
    },
  );

  it("a refused form shows nothing to a session that ended while its body arrived", async () => {
    const other = await newUser();
    const messages = (user: User) => conversationPath(conversationAmong([user.id, other.user.id]));
    for (const pathOf of [() => "/settings/avatar", messages]) {
      const { cookie, user } = await newUser();
      const path = pathOf(user);
      // The last part is broken off.
      const body = longTweet.replace("--x--", "");
      const answer = await during({ path, cookie, type, body }, () =>
        closeAllSessions(world.ctx, user.id),
      );
      expect(answer).toMatch(/^HTTP\/1.1 303/);
      expect(answer).toContain("\r\nLocation: /login");
    }
  });

  it.each(ofTokens)("a status whose body arrives during %s is not posted", async (ending) => {
    const { name, user } = await newUser();
    const { token } = await ApiClient.of(world, name);
    const head = `\r\nAuthorization: Bearer ${token}`;
    const form = { path: "/api/v1/statuses", type: `application/json${head}` };
    const body = JSON.stringify({ status: "too late" });
    const answer = await during({ ...form, body }, () => endings[ending as Ending](user));
    expect(answer).toMatch(/^HTTP\/1.1 401/);
    expect(await newestOf(user.id)).toBeUndefined();
  });

  it("an admin who loses the role while a logo arrives changes no logo", async () => {
    const { cookie, user } = await newUser();
    const other = await newUser();
    for (const one of [user, other.user])
      await world.ctx.redis.setField(keys.user(one.id), "role", "admin");
    const form = { path: "/admin/site/logo", cookie, type, body: picture("logo") };
    const answer = await during(form, () => world.ctx.redis.hdel(keys.user(user.id), "role"));
    expect(answer).toMatch(/^HTTP\/1.1 403/);
  });

  it("a form of a site for members only is refused when the password changed before it had arrived", async () => {
    const { cookie, user } = await newUser();
    await world.ctx.redis.hset(keys.site, "read", "members");
    const form = { path: "/tweets", cookie, body: "text=too+late" };
    const answer = await during(form, () => change(user));
    await world.ctx.redis.del(keys.site);
    expect(answer).toContain("\r\nLocation: /login");
    expect(await newestOf(user.id)).toBeUndefined();
  });

  it.each(["a new password", "a log-out elsewhere", "the end of the account"] as const)(
    "a tweet is posted before %s or not at all, at whichever command that comes between",
    async (ending) => {
      const isErased = ending === "the end of the account";
      let isPaused = true;
      for (let commands = 0; isPaused; commands += 1) {
        isPaused = false;
        const { cookie, user } = await newUser();
        let before: Tweet | undefined;
        const paused = pausingAfter(world.ctx, commands, async () => {
          isPaused = true;
          before = await newestOf(user.id);
          await asAnotherRequest(() => endings[ending](user));
        });
        const app = await serve(createApp(paused, appOptions));
        const { status, headers } = await app.send({
          method: "POST",
          path: "/tweets",
          headers: { Cookie: cookie, "Content-Type": "application/x-www-form-urlencoded" },
          body: "text=in+time",
        });
        await app.close();
        expect(status).toBe(303);
        const posted = await newestOf(user.id);
        if (posted !== undefined) await deliverTweet(world.ctx, posted.id, noProgress);
        const left = await newestOf(user.id);
        const isAnswered = headers["location"] === "/";
        const mayBe = !isPaused || (!isErased && before !== undefined);
        const mustBe = mayBe && isAnswered;
        expect([mustBe, mayBe]).toContain(left !== undefined);
      }
    },
  );

  it("a worker does not post for a process that ended before the password changed", async () => {
    const ends = { isDone: false };
    for (let commands = 0; !ends.isDone; commands += 1) {
      const { user } = await newUser();
      let promised: TweetId | undefined;
      const deliver = async (id: TweetId) => void (promised = id);
      const jobs = { ...world.ctx.jobs, deliverTweet: deliver };
      const dying = endingAfter({ ...world.ctx, jobs }, commands);
      const posting = postTweet(dying, user.id, { text: "left behind" });
      await untilEnded(posting.then(() => void (ends.isDone = true)));
      const before = await newestOf(user.id);
      await change(user);
      if (promised !== undefined) await deliverTweet(world.ctx, promised, noProgress);
      expect((await newestOf(user.id))?.id).toBe(before?.id);
    }
  });

  it("a delivery that comes after the end of its author's account leaves nothing", async () => {
    const { user } = await newUser();
    const id = await postTweet(world.ctx, user.id, { text: "delivered #late" });
    await world.ctx.redis.del(keys.userTimeline(user.id));
    await erase(user);
    await deliverTweet(world.ctx, id, noProgress);
    expect(await newestOf(user.id)).toBeUndefined();
    expect(await world.ctx.redis.zscore(keys.globalTimeline, id)).toBeNull();
    expect(await world.ctx.redis.zscore(keys.tag("late"), id)).toBeNull();
  });
});
