import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenFor } from "../../support/actors/app-listener.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { linksOf } from "../../support/actors/api-pages.ts";
import { createStreamingScene, type StreamingScene } from "../../support/world/streaming-scene.ts";

interface Shown {
  id: string;
  unread: boolean;
  accounts: { acct: string }[];
  last_status: { content: string; visibility: string } | null;
}

const idsIn = (body: unknown) => (body as Shown[]).map(({ id }) => id);

describe("conversations of the API", () => {
  let scene: StreamingScene;
  let reader: ApiClient;
  const newest: Record<string, string> = {};
  beforeAll(async () => {
    scene = await createStreamingScene();
    reader = await ApiClient.of(scene.two.world, "reader");
  });
  afterAll(async () => {
    scene.leave();
    await scene.close();
  });

  const list = async (query = "") =>
    (await reader.get(`/api/v1/conversations${query}`).expect(200)).body as Shown[];

  async function write(who: "author" | "stranger", text: string): Promise<void> {
    const { here } = scene[who];
    const begun = await here.post("/messages/new", { to: "@reader" }).expect(303);
    newest[who] = begun.headers["location"] ?? "";
    await here.post(newest[who], { text }).expect(303);
    await scene.two.world.delivered();
  }

  it("an app lists conversations, the newest first, with the accounts of the others", async () => {
    expect(await list()).toEqual([]);
    await write("author", "one");
    await write("stranger", "two");
    const shown = await list();
    expect(shown.map(({ accounts }) => accounts.map(({ acct }) => acct))).toEqual([
      ["stranger"],
      ["author"],
    ]);
    expect(shown.map(({ last_status }) => last_status?.content)).toEqual([
      expect.stringContaining("two"),
      expect.stringContaining("one"),
    ]);
    expect(shown.map(({ unread }) => unread)).toEqual([true, true]);
  });

  it("an app pages them by links", async () => {
    const first = await reader.get("/api/v1/conversations?limit=1").expect(200);
    const { next, prev } = linksOf(first);
    const second = await reader.get(next ?? "").expect(200);
    expect([...idsIn(first.body), ...idsIn(second.body)]).toEqual(idsIn(await list()));
    expect((await reader.get(prev ?? "").expect(200)).body).toEqual([]);
    const back = await reader.get(linksOf(second).prev ?? "").expect(200);
    expect(idsIn(back.body)).toEqual(idsIn(first.body));
  });

  it("an app marks one as read, on the site as well", async () => {
    const [shown] = await list();
    const path = `/api/v1/conversations/${shown?.id}/read`;
    const { body } = await reader.post(path).expect(200);
    expect(body).toMatchObject({ id: shown?.id, unread: false });
    expect((await list()).map(({ unread }) => unread)).toEqual([false, true]);
    const other = await ApiClient.of(scene.two.world, "author");
    await other.post(path).expect(404);
    await reader.post("/api/v1/conversations/1-2-3-4/read").expect(404);
  });

  it("an app removes one, until there is a new message in it", async () => {
    const [shown] = await list();
    await reader.delete(`/api/v1/conversations/${shown?.id}`).expect(200, {});
    expect(await list()).toHaveLength(1);
    await write("stranger", "three");
    expect((await list()).map(({ id }) => id)).toContain(shown?.id);
  });

  it("the stream of conversations tells of new messages, and home does not", async () => {
    const direct = await scene.listens("/direct");
    const home = await scene.listens("/user");
    await write("author", "four");
    const { data } = await direct.stream.hearsOf("conversation", (said) => said.includes("four"));
    const conversation = JSON.parse(data) as Shown;
    expect(conversation).toMatchObject({ unread: true, accounts: [{ acct: "author" }] });
    await scene.author.here.tweet("for all");
    await home.hearsTweet("for all");
    expect(home.texts).toEqual(["for all"]);
    const stranger = await tokenFor(scene.two.world, "stranger");
    const silent = await scene.listens("/direct", { as: stranger });
    await write("author", "five");
    await direct.stream.hearsOf("conversation", (said) => said.includes("five"));
    expect(silent.events).toEqual([]);
  });
});
