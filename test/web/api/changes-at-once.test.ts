import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import {
  changeDraft,
  deleteDraft,
  rescheduleDraft,
  saveDraft,
} from "../../../src/domain/actions/save-draft.ts";
import { sendDraft } from "../../../src/domain/actions/send-draft.ts";
import { Unavailable } from "../../../src/domain/errors.ts";
import {
  changeFilter,
  deleteKeyword,
  listFilters,
  newFilterId,
  newKeywordId,
  writeFilter,
} from "../../../src/domain/graph/filters.ts";
import { changeList, listsOf, makeList } from "../../../src/domain/graph/lists.ts";
import type { DraftId, UserId } from "../../../src/domain/ids.ts";
import { listSubscriptions, noteFailing } from "../../../src/domain/push/subscriptions.ts";
import { getUserByName, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createApp } from "../../../src/web/app.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { PushDevice } from "../../support/actors/push-device.ts";
import { pausingBefore, pausingBeforeEach } from "../../support/world/ending-process.ts";
import { appOptions, createWorld, type World } from "../../support/world/world.ts";

/** The commands that write or remove a record. */
const writes = ["updateIf", "updateAnyway", "hdel", "clearFields"];

const retext = (ctx: Ctx, author: UserId, draft: DraftId) =>
  changeDraft(ctx, author, draft, { text: "Never" });

describe("a change by an app, while another is made", () => {
  let world: World;
  let app: ApiClient;
  let user: User;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    await world.newcomer("ann");
    user = await getUserByName(world.ctx, "ann");
    app = await ApiClient.of(world, "ann", "read write push");
  });
  afterAll(() => world.close());

  /** The same app on a process that does something else before its first write. */
  const pausedBy = (meanwhile: () => Promise<unknown>) => {
    const { ctx } = world;
    const process = createApp(pausingBefore(ctx, writes, meanwhile), appOptions);
    return new ApiClient({ ctx, app: process }, app.token);
  };

  it("a choice of pushes is stored although a failed push is noted meanwhile", async () => {
    const { endpoint, keys: pushKeys } = new PushDevice("https://push.example.org/send/1");
    const path = "/api/v1/push/subscription";
    const subscription = { endpoint, keys: pushKeys };
    const data = { alerts: { mention: true }, policy: "followed" };
    await app.post(path, { subscription, data }).expect(200);
    const [one] = await listSubscriptions(world.ctx, user);
    const paused = pausedBy(async () => {
      if (one !== undefined) await noteFailing(world.ctx, user, one, { since: 1, times: 1 });
    });
    await paused
      .send("put", path)
      .send({ data: { alerts: { follow: true } } })
      .expect(200);
    const [changed] = await listSubscriptions(world.ctx, user);
    expect(changed).toMatchObject({ alerts: new Set(["follow"]), policy: "followed" });
    expect(changed?.failing).toEqual({ since: 1, times: 1 });
  });

  it("a list keeps a title that is changed while an app changes its replies", async () => {
    const { id } = await makeList(world.ctx, user.id, { title: "Birds", replies: "list" });
    const paused = pausedBy(() => changeList(world.ctx, user.id, id, { title: "Sparrows" }));
    await paused.send("put", `/api/v1/lists/${id}`).send({ replies_policy: "none" }).expect(200);
    expect(await listsOf(world.ctx, user.id)).toMatchObject([
      { title: "Sparrows", replies: "none" },
    ]);
  });

  it("a scheduled status that is given another time while it is deleted is deleted", async () => {
    const [hour, now] = [60 * 60 * 1000, world.ctx.now()];
    const scheduled_at = new Date(now + hour).toISOString();
    const { body } = await app.post("/api/v1/statuses", { status: "Later", scheduled_at });
    const { id } = body as { id: DraftId };
    const path = "/api/v1/scheduled_statuses";
    const paused = pausedBy(() => rescheduleDraft(world.ctx, user.id, id, now + 2 * hour));
    await paused.delete(`${path}/${id}`).expect(200);
    expect((await app.get(path).expect(200)).body).toEqual([]);
  });

  it("deleting the only keyword of a filter leaves one that is added meanwhile", async () => {
    const context = ["home"];
    const { body } = await app.post("/api/v1/filters", { phrase: "spoiler", context }).expect(200);
    const { id: keyword } = body as { id: string };
    const [filter] = await listFilters(world.ctx, user.id);
    const added = { id: newKeywordId(), word: "ending", whole: true };
    const paused = pausedBy(async () => {
      if (filter === undefined) return;
      await changeFilter(world.ctx, user.id, filter.id, (known) => ({
        ...known,
        keywords: [...known.keywords, added],
      }));
    });
    await paused.delete(`/api/v1/filters/${keyword}`).expect(200);
    const left = await listFilters(world.ctx, user.id);
    expect(left.map(({ keywords }) => keywords)).toEqual([[added]]);
    await app.delete(`/api/v1/filters/${added.id}`).expect(200);
    expect(await listFilters(world.ctx, user.id)).toEqual([]);
  });

  it("a change, a deletion or a sending that is overtaken by changes all the time is given up", async () => {
    const { ctx } = world;
    /** A process whose writes find the record changed each time. */
    const overtakenAt = (key: string, field: string) => {
      let changes = 0;
      return pausingBeforeEach(ctx, writes, async () => {
        changes += 1;
        if (changes > 2000) throw new Error("it is still tried");
        const record = JSON.parse((await ctx.redis.hget(key, field)) ?? "{}") as object;
        await ctx.redis.hset(key, field, JSON.stringify({ ...record, changes }));
      });
    };
    const draft = await saveDraft(ctx, user.id, { text: "Later" });
    for (const verb of [deleteDraft, retext, sendDraft]) {
      const drafts = overtakenAt(keys.savedDrafts(user.id), draft.id);
      await expect(verb(drafts, user.id, draft.id)).rejects.toThrow(Unavailable);
    }
    const id = newFilterId();
    const keyword = newKeywordId();
    const write = async (process: Ctx) =>
      await writeFilter(process, user.id, id, () => ({
        title: "Endings",
        action: "warn",
        contexts: ["home"],
        until: Infinity,
        keywords: [{ id: keyword, word: "ending", whole: true }],
      }));
    await write(ctx);
    const remove = (process: Ctx) => deleteKeyword(process, user.id, { id, keyword });
    for (const verb of [remove, write])
      await expect(verb(overtakenAt(keys.filters(user.id), id))).rejects.toThrow(Unavailable);
  });
});
