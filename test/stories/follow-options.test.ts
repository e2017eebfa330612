import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../src/domain/users/store.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { keys } from "../../src/redis/keys.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { notificationsOn } from "../support/inspect/notifications.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

const day = 24 * 60 * 60;

/** Id of a reply. */
async function answer(who: Visitor, to: string, text: string): Promise<string> {
  await who.post("/tweets", { text, reply_to: to }).expect(303);
  const [written] = await who.see(`/@${who.name}/replies`);
  return written?.id ?? "";
}

describe("options of a follow, and mutes that end", () => {
  let world: World;
  let reader: Visitor;
  let friend: Visitor;
  let stranger: Visitor;
  let app: ApiClient;
  let friendId: UserId;
  const ids: UserId[] = [];
  beforeAll(async () => {
    world = await createWorld();
    reader = await world.newcomer("reader");
    friend = await world.newcomer("friend");
    stranger = await world.newcomer("stranger");
    await reader.follow("friend");
    ids.push((await getUserByName(world.ctx, "reader")).id);
    app = await ApiClient.of(world, "reader");
    friendId = (await getUserByName(world.ctx, "friend")).id;
  });
  afterAll(async () => {
    // The client's app is not registered.
    for (const id of ids) await world.ctx.redis.del(keys.tokens(id));
    await closeChecked(world);
  });

  const home = async () => (await reader.see("/")).map(({ text }) => text);
  const relationship = async () =>
    (await app.get(`/api/v1/accounts/relationships?id[]=${friendId}`)).body[0] as object;
  const menuOf = async (name: string) => (await reader.get(`/@${name}`).expect(200)).text;
  const heard = async () => {
    await world.delivered();
    const { text } = await reader.get("/notifications").expect(200);
    return notificationsOn(text).map(({ sentence }) => sentence.replace("New: ", "").trim());
  };
  const typesHeard = async () => {
    const { body } = await app.get("/api/v1/notifications").expect(200);
    return (body as { type: string }[]).map(({ type }) => type);
  };

  it("retweets of a followed user leave home at once, and come back", async () => {
    await stranger.tweet("by a stranger");
    const [said] = await stranger.see("/@stranger");
    await friend.post(`/tweets/${said?.id}/retweet`).expect(303);
    await friend.tweet("by the friend");
    await world.delivered();
    expect(await home()).toEqual(["by the friend", "by a stranger"]);
    expect(await menuOf("friend")).toContain('formaction="/@friend/hide-retweets"');
    await reader.post("/@friend/hide-retweets").expect(303);
    expect(await home()).toEqual(["by the friend"]);
    expect(await relationship()).toMatchObject({ following: true, showing_reblogs: false });
    expect(await menuOf("friend")).toContain('formaction="/@friend/show-retweets"');

    await stranger.tweet("another one");
    const [other] = await stranger.see("/@stranger");
    await friend.post(`/tweets/${other?.id}/retweet`).expect(303);
    await world.delivered();
    expect(await home()).toEqual(["by the friend"]);

    const shown = await app.post(`/api/v1/accounts/${friendId}/follow`, { reblogs: true });
    expect(shown.body).toMatchObject({ showing_reblogs: true, notifying: false });
    expect(await home()).toEqual(["another one", "by the friend", "by a stranger"]);
  });

  it("an option that is left out stays, and all end with the follow", async () => {
    const path = `/api/v1/accounts/${friendId}/follow`;
    const chosen = await app.post(path, { reblogs: false, notify: true }).expect(200);
    expect(chosen.body).toMatchObject({ showing_reblogs: false, notifying: true });
    expect((await app.post(path)).body).toMatchObject({ showing_reblogs: false, notifying: true });
    await reader.unfollow("friend");
    expect(await relationship()).toMatchObject({ showing_reblogs: false, notifying: false });
    await reader.post("/@friend/notify").expect(303);
    expect(await relationship()).toMatchObject({ notifying: false });
    await reader.follow("friend");
    expect(await relationship()).toMatchObject({ showing_reblogs: true, notifying: false });
  });

  it("each new tweet of a user is a notification for a follower who asks for it", async () => {
    await friend.tweet("before");
    expect(await menuOf("friend")).toContain('formaction="/@friend/notify"');
    await reader.post("/@friend/notify").expect(303);
    expect(await heard()).toEqual([]);
    await friend.tweet("news");
    const [said] = await stranger.see("/@stranger");
    await friend.post("/tweets", { text: "an answer", reply_to: said?.id ?? "" }).expect(303);
    await friend.tweet("to @reader");
    await expect.poll(heard).toEqual(["Test friend mentioned you", "Test friend tweeted"]);
    expect(await typesHeard()).toEqual(["mention", "status"]);
    await reader.post("/@friend/unnotify").expect(303);
    await friend.tweet("more news");
    expect(await heard()).toHaveLength(2);
    await app.post("/api/v1/notifications/clear").expect(200);
  });

  it("a muted conversation notifies of nothing, however deep it is", async () => {
    await reader.tweet("what do you think?");
    const [question] = await reader.see("/@reader");
    const first = await answer(friend, question?.id ?? "", "this");
    expect(await heard()).toEqual(["Test friend replied to your tweet"]);
    const { text: page } = await reader.get(`/tweets/${question?.id}`).expect(200);
    expect(page).toContain(`formaction="/tweets/${question?.id}/mute"`);
    expect((await stranger.get(`/tweets/${question?.id}`)).text).not.toContain("/mute");
    // The button is in the form that deletes, which leads to the profile.
    const url = `/tweets/${question?.id}`;
    for (const verb of ["mute", "unmute"]) {
      const sent = await reader.post(`${url}/${verb}`, hiddenFields(page, `${url}/delete`));
      expect([sent.status, sent.headers["location"]]).toEqual([
        303,
        `${url}#tweet-${question?.id}`,
      ]);
    }
    await reader.post(`/tweets/${first}/mute`).expect(303);
    const deep = await answer(stranger, first, "and that, @reader");
    await friend.post(`/tweets/${question?.id}/like`).expect(303);
    expect(await heard()).toEqual(["Test friend replied to your tweet"]);
    expect((await reader.get(`/tweets/${deep}`)).text).toContain(`/tweets/${deep}/unmute`);

    const [status] = (await app.get("/api/v1/timelines/home")).body as { id: string }[];
    expect(status).toMatchObject({ muted: true });
    const muted = await app.post(`/api/v1/statuses/${status?.id}/unmute`).expect(200);
    expect(muted.body).toMatchObject({ id: status?.id, muted: false });
    await answer(stranger, first, "@reader hello?");
    expect((await heard())[0]).toBe("Test stranger mentioned you");
    const again = await app.post(`/api/v1/statuses/${status?.id}/mute`).expect(200);
    expect(again.body).toMatchObject({ muted: true });
  });

  it("a mute for a day ends by itself", async () => {
    const { text } = await reader.get("/@friend").expect(200);
    expect(text).toMatch(/<select id="duration" name="duration">/);
    await reader.post("/@friend/mute", { duration: "1" }).expect(303);
    expect(await home()).not.toContain("more news");
    expect(await menuOf("friend")).toMatch(/You have muted @friend until /);
    expect((await reader.get("/settings/muted")).text).toMatch(/person-reason">Until /);
    const [account] = (await app.get("/api/v1/mutes").expect(200)).body as object[];
    expect(account).toMatchObject({ id: friendId });
    const { mute_expires_at: end } = account as { mute_expires_at: string };
    expect(Date.parse(end) - world.ctx.now()).toBeLessThanOrEqual(day * 1000);
    expect(await relationship()).toMatchObject({ muting: true, muting_expires_at: end });
    world.pass((day + 1) * 1000);
    expect(await home()).toContain("more news");
    expect(await relationship()).toMatchObject({ muting: false, muting_expires_at: null });
    expect((await app.get("/api/v1/mutes")).body).toEqual([]);
    expect((await reader.get("/settings/muted")).text).not.toContain("person-reason");
  });
});
