import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { reconcileDeletion } from "../../src/domain/actions/delete-cleanup.ts";
import { deleteTweet } from "../../src/domain/actions/delete-tweet.ts";
import { deliverTweet } from "../../src/domain/actions/deliver-tweet.ts";
import { saveDraft } from "../../src/domain/actions/save-draft.ts";
import { sendDraft, sendDueDrafts } from "../../src/domain/actions/send-draft.ts";
import type { DraftId, TweetId } from "../../src/domain/ids.ts";
import { listDrafts } from "../../src/domain/tweets/saved-drafts.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { asAnotherRequest, asRequest, newestTweet, postedBy } from "../support/actors/author.ts";
import { sources } from "../support/actors/composer.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { picture } from "../support/data/pictures.ts";
import { closeChecked } from "../support/world/doctor.ts";
import {
  endingAfter,
  pausingAfter,
  pausingBefore,
  untilEnded,
} from "../support/world/ending-process.ts";
import { giveNewPassword, nextPassword, RightsScene } from "../support/world/rights-scene.ts";
import { createWorld, type World } from "../support/world/world.ts";

const minute = 60 * 1000;

describe("a draft that is being sent when a right ends", () => {
  let scene: RightsScene;
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    scene = await RightsScene.create();
    ({ world, ctx } = scene);
  });
  afterAll(() => scene.world.close());

  const endings: Record<string, (user: User, other: Visitor) => Promise<unknown>> = {
    "a new password": (user) => giveNewPassword(ctx, user),
    "a log-out of all other devices": (_, other) => other.post("/settings/sessions").expect(303),
  };
  const draftOf = async (user: User, at?: number) =>
    await asRequest(ctx, user, () => saveDraft(ctx, user.id, { text: "later", at }));

  const sendings = { "without a time": undefined, "before its time": 24 * 60 * minute };
  type Sending = keyof typeof sendings;
  /** Lets a process end while it sends a draft, after so many commands; the delivery that it promised comes later. */
  const dying = async (sending: Sending, commands: number) => {
    const { user } = await scene.newUser();
    const ahead = sendings[sending];
    const { id } = await draftOf(user, ahead && ctx.now() + ahead);
    let promised: TweetId | undefined;
    const jobs = { ...ctx.jobs, deliverTweet: async (tweet: TweetId) => void (promised = tweet) };
    const process = endingAfter({ ...ctx, jobs }, commands);
    let isDone = false;
    const sent = sendDraft(process, user.id, id).then(() => void (isDone = true));
    await untilEnded(sent);
    const deliver = async () => {
      if (promised === undefined) return;
      await deliverTweet(ctx, promised, { done: 0, save: async () => {} });
    };
    return { user, id, deliver, isDone };
  };

  it.each(Object.keys(sendings))(
    "a worker does not send a draft %s for a process that ended before the password changed",
    async (sending) => {
      let isLast = false;
      for (let commands = 0; !isLast; commands += 1) {
        const { user, id, deliver, isDone } = await dying(sending as Sending, commands);
        isLast = isDone;
        const before = await postedBy(ctx, user);
        await giveNewPassword(ctx, user);
        await deliver();
        await sendDueDrafts(ctx);
        expect(await postedBy(ctx, user)).toEqual(before);
        if (before.length > 0) continue;
        await sendDraft(ctx, user.id, id);
        expect(await postedBy(ctx, user)).toEqual(["later"]);
      }
    },
  );

  it.each(Object.keys(sendings))(
    "a worker sends a draft %s once for a process that ended, or its author sends it again",
    async (sending) => {
      let isLast = false;
      for (let commands = 0; !isLast; commands += 1) {
        const { user, id, deliver, isDone } = await dying(sending as Sending, commands);
        isLast = isDone;
        await deliver();
        await sendDueDrafts(ctx);
        const [left] = await listDrafts(ctx, user.id);
        expect(left?.sending).toBeUndefined();
        expect(left?.problem).toBeUndefined();
        if (left !== undefined) await sendDraft(ctx, user.id, id);
        expect(await postedBy(ctx, user)).toEqual(["later"]);
      }
    },
  );

  it("a draft stays if its tweet was deleted before the draft was gone, and can be sent again", async () => {
    const { user } = await scene.newUser();
    const { id } = await draftOf(user);
    const redis = Object.create(ctx.redis, {
      hdel: { value: () => Promise.reject(new Error("killed")) },
    }) as typeof ctx.redis;
    await expect(sendDraft({ ...ctx, redis }, user.id, id)).rejects.toThrow("killed");
    await deleteTweet(ctx, user.id, await newestTweet(ctx));
    await sendDueDrafts(ctx);
    expect(await listDrafts(ctx, user.id)).toMatchObject([{ problem: "draft.unsure" }]);
    await sendDraft(ctx, user.id, id);
    expect(await postedBy(ctx, user)).toEqual(["later"]);
  });

  it.each([
    ["a worker", "a new password"],
    ["a worker", "a log-out of all other devices"],
    ["its author", "a new password"],
    ["its author, on a slow Redis,", "a new password"],
  ])(
    "a draft that %s sends is posted before %s or kept, at whichever command that comes between",
    async (sender, ending) => {
      const isSlow = sender.includes("slow");
      let isPaused = true;
      for (let commands = 0; isPaused; commands += 1) {
        isPaused = false;
        const { visitor, user } = await scene.newUser();
        const { id } = await draftOf(user, ctx.now() + minute);
        let before: string[] = [];
        const paused = pausingAfter(ctx, commands, async () => {
          isPaused = true;
          before = await postedBy(ctx, user);
          await asAnotherRequest(async () => endings[ending]?.(user, visitor));
          // Then a write looks at the right again.
          if (isSlow) await sleep(110);
        });
        if (sender === "a worker") {
          world.pass(minute);
          await sendDueDrafts(paused);
        } else await asRequest(paused, user, () => sendDraft(paused, user.id, id)).catch(() => {});
        const posted = await postedBy(ctx, user);
        expect(isPaused ? [before, []] : [["later"]]).toContainEqual(posted);
        const [left] = await listDrafts(ctx, user.id);
        expect(left === undefined).toBe(posted.length > 0);
        expect(left?.sending).toBeUndefined();
        if (left === undefined) continue;
        expect(isSlow ? ["draft.ended", undefined] : ["draft.ended"]).toContain(left.problem);
        await sendDraft(ctx, user.id, id);
        expect(await postedBy(ctx, user)).toEqual(["later"]);
      }
    },
  );
});

describe("a draft with a picture whose right ends while it is posted", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ pictureMilliseconds: 20_000 });
  });
  afterAll(() => closeChecked(world));

  it("a draft that is kept back keeps its pictures, and can be sent", async () => {
    const { ctx } = world;
    const visitor = await world.newcomer("ann");
    const user = await getUserByName(ctx, "ann");
    const form = visitor.agent.post("/drafts").field("text", "a picture");
    const { headers } = await form.attach("pictures", await picture("jpeg"), "a.jpg").expect(303);
    const path = String(headers["location"]).replace("?saved", "");
    const id = path.split("/").at(-1) as DraftId;
    const slow = pausingBefore(ctx, ["commitTweet"], () =>
      asAnotherRequest(() => giveNewPassword(ctx, user)),
    );
    await asRequest(slow, user, () => sendDraft(slow, user.id, id)).catch(() => {});
    await reconcileDeletion(ctx, await newestTweet(ctx));
    expect(await postedBy(ctx, user)).toEqual([]);
    const back = world.visitor();
    await back.post("/login", { name: "ann", password: nextPassword }).expect(303);
    const [drafted = ""] = sources((await back.get("/drafts").expect(200)).text);
    await back.get(drafted).expect(200);
    const sent = await back.post(`${path}/send`).expect(303);
    const [shown = ""] = sources(
      (await back.get(String(sent.headers["location"])).expect(200)).text,
    );
    await back.get(shown).expect(200);
    expect(await postedBy(ctx, user)).toEqual(["a picture"]);
  });
});
