import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { changePassword } from "../../src/domain/accounts/change-password.ts";
import { saveDraft } from "../../src/domain/actions/save-draft.ts";
import { sendDueDrafts } from "../../src/domain/actions/send-draft.ts";
import { draftsOf } from "../../src/domain/tweets/saved-drafts.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../src/domain/users/suspension.ts";
import { localTime } from "../../src/domain/users/time-zone.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { postedBy } from "../support/actors/author.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

const minute = 60 * 1000;
const hour = 60 * minute;
const nextPassword = "another horse 43";
const loggedOut = "has been logged out since";
const scheduledPath = "/api/v1/scheduled_statuses";

describe("drafts that outlast a right", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  let count = 0;
  const newAuthor = async () => {
    const name = `user${(count += 1)}`;
    const visitor = await world.newcomer(name);
    return { visitor, user: await getUserByName(ctx, name) };
  };
  const another = async (name: string) => {
    const visitor = world.visitor();
    await visitor.logIn(name);
    return visitor;
  };
  const change = async (user: User) =>
    await changePassword(ctx, user, { current: password, next: nextPassword });
  /** Ways to end what a device has promised, from another device of the same user. */
  const endings: Record<string, (owner: Visitor, user: User) => Promise<unknown>> = {
    "a new password": (_, user) => change(user),
    "a suspension": async (_, user) => {
      await suspendUser(ctx, user);
      await reinstateUser(ctx, user);
    },
    "a log-out of all other devices": (owner) => owner.post("/settings/sessions").expect(303),
    "a log-out of that device": async (owner) => {
      const { text } = await owner.get("/settings/sessions").expect(200);
      await owner.post("/settings/sessions", hiddenFields(text, "/settings/sessions")).expect(303);
    },
  };

  const schedule = async (visitor: Visitor, path: string, ahead: number) => {
    const when = localTime(ctx.now() + ahead, "UTC");
    await visitor.post(path, { text: "later", when, do: "schedule" }).expect(303);
  };
  /** An author with a tweet that is sent in two minutes. */
  const scheduling = async () => {
    const { visitor, user } = await newAuthor();
    const { id } = await saveDraft(ctx, user.id, { text: "later" });
    const path = `/drafts/${id}`;
    await schedule(visitor, path, 2 * minute);
    return { visitor, user, id, path };
  };
  const later = async () => {
    world.pass(2 * minute);
    await sendDueDrafts(ctx);
  };

  it.each(Object.keys(endings))(
    "a scheduled tweet is not posted after %s, and waits for its author in the drafts",
    async (ending) => {
      const { user, path } = await scheduling();
      await endings[ending]?.(await another(user.name), user);
      const back = world.visitor();
      const current = ending === "a new password" ? nextPassword : password;
      await back.post("/login", { name: user.name, password: current }).expect(303);
      const list = async () => (await back.get("/drafts").expect(200)).text;
      expect(await list()).toContain(loggedOut);
      expect(await list()).not.toContain("Will be sent");
      expect((await back.get(path).expect(200)).text).toContain(loggedOut);
      await later();
      expect(await postedBy(ctx, user)).toEqual([]);
      expect(await list()).toContain(loggedOut);
      await schedule(back, path, 2 * minute);
      expect(await list()).not.toContain(loggedOut);
      expect(await list()).toContain("Will be sent");
      await later();
      expect(await postedBy(ctx, user)).toEqual(["later"]);
    },
  );

  it("a draft that waits is scheduled again by one button, with the time that it had", async () => {
    const { user, path } = await scheduling();
    const owner = await another(user.name);
    await owner.post("/settings/sessions").expect(303);
    const { text } = await owner.get(path).expect(200);
    const [, when = ""] = /name="when"[^>]* value="([^"]+)"/.exec(text) ?? [];
    await owner.post(path, { text: "later", when, do: "schedule" }).expect(303);
    await later();
    expect(await postedBy(ctx, user)).toEqual(["later"]);
  });

  it("a status that an app scheduled is not posted after the end of its access, and leaves its list", async () => {
    const { visitor, user } = await newAuthor();
    const status = { status: "later", scheduled_at: new Date(ctx.now() + hour).toISOString() };
    const app = await ApiClient.of(world, user.name);
    const { body } = await app.post("/api/v1/statuses", status).expect(200);
    await visitor.post("/settings/apps", { app: "a".repeat(32) }).expect(303);
    const again = await ApiClient.of(world, user.name);
    expect((await again.get(scheduledPath).expect(200)).body).toEqual([]);
    await again.get(`${scheduledPath}/${body.id}`).expect(404);
    expect((await visitor.get("/drafts").expect(200)).text).toContain(loggedOut);
    world.pass(hour);
    await later();
    expect(await postedBy(ctx, user)).toEqual([]);
    await visitor.post(`/drafts/${body.id}/send`).expect(303);
    expect(await postedBy(ctx, user)).toEqual(["later"]);
  });

  it("a status that an app gives another time goes on by the right of that app", async () => {
    const { visitor, user, id } = await scheduling();
    const app = await ApiClient.of(world, user.name);
    const scheduled_at = new Date(ctx.now() + hour).toISOString();
    await app.send("put", `${scheduledPath}/${id}`).send({ scheduled_at }).expect(200);
    await (await another(user.name)).post("/settings/sessions").expect(303);
    await visitor.get("/drafts").expect(303);
    world.pass(hour);
    await later();
    expect(await postedBy(ctx, user)).toEqual(["later"]);
  });

  it.each(["logs out", "logs the others out"])(
    "a scheduled tweet is posted when the device that scheduled it %s",
    async (ending) => {
      const { visitor, user } = await scheduling();
      await another(user.name);
      await visitor.post(ending === "logs out" ? "/logout" : "/settings/sessions").expect(303);
      await later();
      expect(await postedBy(ctx, user)).toEqual(["later"]);
    },
  );

  it("a scheduled tweet of a former version is posted after a new password", async () => {
    const { user, id } = await scheduling();
    await draftsOf(ctx, user.id).change(id, (draft) => ({ ...draft, right: undefined }));
    await change(user);
    await later();
    expect(await postedBy(ctx, user)).toEqual(["later"]);
  });
});
