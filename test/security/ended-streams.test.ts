import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { deleteAccount } from "../../src/domain/accounts/erase.ts";
import { endApp } from "../../src/domain/apps/tokens.ts";
import { parseClientId } from "../../src/domain/ids.ts";
import type { Memory } from "../../src/redis/memory.ts";
import { suspendUser } from "../../src/domain/users/suspension.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { createApp } from "../../src/web/app.ts";
import { tokenFor } from "../support/actors/app-listener.ts";
import { TestApp } from "../support/actors/test-app.ts";
import { type EventStream, openEventStream } from "../support/actors/event-stream.ts";
import { freshProcess } from "../support/world/ending-process.ts";
import { serve, type Site } from "../support/world/serve.ts";
import {
  createTwoProcesses,
  type OnBoth,
  type TwoProcesses,
} from "../support/world/two-processes.ts";
import { password } from "../support/actors/visitor.ts";
import { appOptions } from "../support/world/world.ts";

/** Long for a machine that has other things to do. */
const patience = 15_000;
const changed = "another horse 43";

describe("ended streams (R15)", () => {
  let two: TwoProcesses;
  let site: Site;
  let made = 0;
  const open: EventStream[] = [];

  beforeAll(async () => {
    two = await createTwoProcesses();
    site = await serve(two.world.app);
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.leave();
  });
  afterAll(async () => {
    await site.close();
    await two.close();
  });

  async function person(): Promise<OnBoth & { cookie: string; user: User }> {
    made += 1;
    const visitor = await two.newcomer(`hearer${made}`);
    return { ...visitor, user: await getUserByName(two.world.ctx, `hearer${made}`) };
  }

  /** Two pages and three apps, which have heard something by now. */
  async function listen(cookie: string, token: string) {
    const bearer = { Authorization: `Bearer ${token}` };
    const [home, page] = [
      await openEventStream(site.port, "/live?after=1", { Cookie: cookie }),
      await openEventStream(site.port, "/live", { Cookie: cookie }),
    ];
    const apps = await Promise.all(
      ["user", "public", "user/notification"].map((door) =>
        openEventStream(site.port, `/api/v1/streaming/${door}`, bearer),
      ),
    );
    open.push(home, page, ...apps);
    await home.hears("home", "0");
    return { pages: [home, page], apps };
  }

  it("streams end when the password changes", async () => {
    const { cookie, there, user } = await person();
    const { pages, apps } = await listen(cookie, await tokenFor(two.world, user.name));
    const fields = { current_password: password, new_password: changed };
    await there.post("/settings/account", fields).expect(303);
    await expectEnd([...pages, ...apps]);
  });

  it("streams end with a suspension and with the account", async () => {
    const [first, second] = [await person(), await person()];
    const streams = [];
    for (const { cookie, user } of [first, second]) {
      const { pages, apps } = await listen(cookie, await tokenFor(two.world, user.name));
      streams.push(...pages, ...apps);
    }
    await suspendUser(two.world.ctx, first.user);
    await deleteAccount(two.world.ctx, second.user, { name: second.user.name, password });
    await expectEnd(streams);
  });

  it("streams end with the session alone, or with the app alone", async () => {
    const { cookie, there, user } = await person();
    const app = await TestApp.register(two.world);
    const { pages, apps } = await listen(cookie, await app.tokenFrom(there));
    const gone = [...pages];
    await there.post("/logout").expect(303);
    await expectEnd(gone);
    const client = parseClientId(app.client);
    if (client === undefined) throw new Error("no client");
    await endApp(two.world.ctx, user.id, client);
    await expectEnd(apps);
  });

  it("streams end with the token that their app gives back, and no others do", async () => {
    const { cookie, there } = await person();
    const app = await TestApp.register(two.world);
    const [token, kept] = [await app.tokenFrom(there), await app.tokenFrom(there)];
    const { apps } = await listen(cookie, token);
    const other = await openEventStream(site.port, "/api/v1/streaming/user", {
      Authorization: `Bearer ${kept}`,
    });
    open.push(other);
    expect((await app.revoke(token)).status).toBe(200);
    await expectEnd(apps);
    await there.tweet("still heard");
    await other.hearsOf("update", (data) => data.includes("still heard"));
  });

  it.each(["page", "app"] as const)(
    "an open %s is not sent what it was reading when its right ended",
    async (kind) => {
      const [reader, author] = [await person(), await person()];
      await reader.there.follow(author.user.name);
      const { ctx } = two.world;
      const app = await TestApp.register(two.world);
      const token = await app.tokenFrom(reader.there);
      let state: "early" | "armed" | "over" = "early";
      // A process in which the right ends just before a read of home.
      const ask: Memory["ask"] = async (redis, command, recording) => {
        if (state === "armed" && command[1] === keys.homeTimeline(reader.user.id)) {
          state = "over";
          await (kind === "page" ? reader.there.post("/logout") : app.revoke(token));
          await ctx.memory.settled();
        }
        return await ctx.memory.ask(redis, command, recording);
      };
      const process = { ...freshProcess(ctx), memory: { ...ctx.memory, ask } };
      const slow = await serve(createApp(process, appOptions));
      const [path, headers, event, isIt] =
        kind === "page"
          ? (["/live?after=1", { Cookie: reader.cookie }, "home", /^1$/] as const)
          : ([
              "/api/v1/streaming/user",
              { Authorization: `Bearer ${token}` },
              "update",
              /in time/,
            ] as const);
      const stream = await openEventStream(slow.port, path, headers);
      open.push(stream);
      await author.here.tweet("read in time");
      await stream.hearsOf(event, (data) => isIt.test(data));
      state = "armed";
      await author.here.tweet("read too late");
      await expectEnd([stream]);
      expect(state).toBe("over");
      expect(stream.raw()).not.toContain(kind === "page" ? "data: 2" : "read too late");
      await slow.close();
    },
  );

  it("an open page counts reports for as long as its user is a moderator", async () => {
    const [moderator, author, reporter] = [await person(), await person(), await person()];
    await two.world.ctx.redis.setField(keys.user(moderator.user.id), "role", "moderator");
    await two.world.ctx.memory.settled();
    const page = await openEventStream(site.port, "/live", { Cookie: moderator.cookie });
    open.push(page);
    await page.hears("reports", "0");
    const report = (what: string) => reporter.there.post(`${what}/report`, { reason: "spam" });
    await report(`/@${author.user.name}`).expect(303);
    await page.hears("reports", "1");
    await two.world.ctx.redis.hdel(keys.user(moderator.user.id), "role");
    const counts = () => page.heard.filter(({ event }) => event === "reports");
    await expect.poll(() => counts().at(-1)?.data, { timeout: patience }).toBe("0");
    await report(`/@${moderator.user.name}`).expect(303);
    // The page goes on with what its user may hear.
    await author.there.tweet(`@${moderator.user.name} look`);
    await page.hears("notifications", "1");
    expect(counts().map(({ data }) => data)).toEqual(["0", "1", "0"]);
  });
});

/** Fails for those that are still open after some seconds. */
async function expectEnd(streams: EventStream[]): Promise<void> {
  let left = streams.length;
  const all = Promise.all(
    streams.map(async ({ ended }) => {
      await ended;
      left -= 1;
    }),
  );
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, patience))]);
  expect(left).toBe(0);
}
