import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../../support/actors/api-client.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const site = "https://birds.example";

interface NotificationItem {
  id: string;
  content: string;
}

async function said(by: ApiClient, status: string, to?: string): Promise<NotificationItem> {
  const fields = { status, in_reply_to_id: to };
  return (await by.post("/api/v1/statuses", fields).expect(200)).body as NotificationItem;
}

const idsIn = (statuses: NotificationItem[]) => statuses.map(({ id }) => id);

describe("statuses of the API", () => {
  let world: World;
  let alice: ApiClient;
  let bob: ApiClient;
  const anybody = () => new ApiClient(world);
  beforeAll(async () => {
    world = await createWorld({ baseUrl: site });
    for (const name of ["alice", "bob"]) await world.newcomer(name);
    alice = await ApiClient.of(world, "alice");
    bob = await ApiClient.of(world, "bob");
  });
  afterAll(() => world.close());

  it("a status has all fields, without a token too", async () => {
    const { id } = await said(alice, "Hi @bob! #Birds https://example.org/a?b=1&c=2\none\n\n<b>");
    const { body } = await anybody().get(`/api/v1/statuses/${id}`).expect(200);
    const { account, created_at: at, uri, ...rest } = body;
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(uri).toMatch(/^https:\/\/birds\.example\/tweets\/\d+$/);
    expect(rest).toEqual({
      id,
      in_reply_to_id: null,
      in_reply_to_account_id: null,
      sensitive: false,
      spoiler_text: "",
      visibility: "public",
      language: null,
      url: uri,
      replies_count: 0,
      reblogs_count: 0,
      favourites_count: 0,
      edited_at: null,
      favourited: false,
      reblogged: false,
      muted: false,
      bookmarked: false,
      content:
        `<p>Hi <span class="h-card"><a href="${site}/@bob" class="u-url mention">@<span>bob</span></a></span>!` +
        ` <a href="${site}/tags/birds" class="mention hashtag" rel="tag">#<span>Birds</span></a>` +
        ' <a href="https://example.org/a?b=1&amp;c=2" rel="nofollow noopener noreferrer" target="_blank"><span class="invisible">https://</span><span class="">example.org/a?b=1&amp;c=2</span><span class="invisible"></span></a>' +
        "<br />one</p><p>&lt;b&gt;</p>",
      filtered: [],
      reblog: null,
      quote: null,
      quote_approval: { automatic: ["public"], manual: [], current_user: "automatic" },
      quotes_count: 0,
      application: null,
      media_attachments: [],
      mentions: [{ id: "2", username: "bob", acct: "bob", url: `${site}/@bob` }],
      tags: [{ name: "birds", url: `${site}/tags/birds` }],
      emojis: [],
      card: null,
      poll: null,
    });
    expect(account).toEqual({
      id: "1",
      username: "alice",
      acct: "alice",
      display_name: "Test alice",
      locked: false,
      bot: false,
      discoverable: true,
      indexable: true,
      group: false,
      created_at: expect.stringMatching(/Z$/) as string,
      note: "",
      url: `${site}/@alice`,
      uri: `${site}/@alice`,
      avatar: expect.stringMatching(/^https:\/\/birds\.example\/avatars\//) as string,
      avatar_static: account.avatar,
      header: `${site}/headers/original/missing.png`,
      header_static: `${site}/headers/original/missing.png`,
      followers_count: 0,
      following_count: 0,
      statuses_count: 1,
      last_status_at: at.slice(0, 10),
      hide_collections: false,
      noindex: false,
      emojis: [],
      roles: [],
      fields: [],
    });
  });

  it("a status shows changed counts at once", async () => {
    const { id } = await said(alice, "watched");
    const read = async () => (await alice.get(`/api/v1/statuses/${id}`).expect(200)).body;
    expect(await read()).toMatchObject({
      replies_count: 0,
      account: { display_name: "Test alice" },
    });
    await said(bob, "an answer", id);
    expect(await read()).toMatchObject({ replies_count: 1 });
    const page = world.visitor();
    await page.logIn("alice");
    const profile = { fullname: "Ally", bio: "I am @bob's\nfriend", website: "birds.example/me" };
    await page.post("/settings/profile", profile).expect(303);
    expect((await read()).account).toMatchObject({
      display_name: "Ally",
      note: `<p>I am <span class="h-card"><a href="${site}/@bob" class="u-url mention">@<span>bob</span></a></span>&#39;s<br />friend</p>`,
      fields: [{ name: "Website", verified_at: null }],
    });
  });

  it("deleting a status by its author answers with the source text", async () => {
    const { id } = await said(alice, "to be <deleted>");
    await bob.delete(`/api/v1/statuses/${id}`).expect(404);
    const { body } = await alice.delete(`/api/v1/statuses/${id}`).expect(200);
    expect(body).toMatchObject({ id, text: "to be <deleted>", account: { acct: "alice" } });
    await alice.get(`/api/v1/statuses/${id}`).expect(404);
    await alice.delete(`/api/v1/statuses/${id}`).expect(404);
    await anybody().delete(`/api/v1/statuses/${id}`).expect(401);
    const reader = await ApiClient.of(world, "alice", "read");
    await reader.delete(`/api/v1/statuses/${id}`).expect(403);
  });

  it("a reply forgets its parent when that is deleted", async () => {
    const first = await said(bob, "first");
    const reply = await said(alice, "reply", first.id);
    const path = `/api/v1/statuses/${reply.id}`;
    expect((await alice.get(path)).body).toMatchObject({ in_reply_to_id: first.id });
    await bob.delete(`/api/v1/statuses/${first.id}`).expect(200);
    expect((await alice.get(path)).body).toMatchObject({
      in_reply_to_id: null,
      in_reply_to_account_id: null,
    });
  });

  it("a status has its conversation, branch by branch, oldest first", async () => {
    const top = await said(alice, "top");
    const middle = await said(bob, "middle", top.id);
    const here = await said(alice, "here", middle.id);
    const one = await said(bob, "one", here.id);
    const two = await said(bob, "two", here.id);
    const gone = await said(bob, "gone", one.id);
    await said(alice, "below what is gone", gone.id);
    const last = await said(alice, "last of one", one.id);
    await bob.delete(`/api/v1/statuses/${gone.id}`).expect(200);
    const { body } = await anybody().get(`/api/v1/statuses/${here.id}/context`).expect(200);
    expect(idsIn(body.ancestors)).toEqual([top.id, middle.id]);
    expect(idsIn(body.descendants)).toEqual([one.id, last.id, two.id]);
  });

  it("many statuses are read at once, in any spelling of a list", async () => {
    const one = await said(alice, "one of two");
    const two = await said(bob, "two of two");
    for (const query of [
      `id[]=${one.id}&id[]=${two.id}&id[]=1&id[]=x`,
      `id=${one.id}&id=${two.id}&id=${one.id.replace(/^3/, "4")}`,
    ]) {
      const { body } = await anybody().get(`/api/v1/statuses?${query}`).expect(200);
      expect((body as NotificationItem[]).map(({ id }) => id)).toEqual([one.id, two.id]);
    }
    expect((await anybody().get("/api/v1/statuses").expect(200)).body).toEqual([]);
  });

  it("a status has a source and one version", async () => {
    const { id, content } = await said(alice, "as typed\n\n<here>");
    const { body: source } = await alice.get(`/api/v1/statuses/${id}/source`).expect(200);
    expect(source).toEqual({ id, text: "as typed\n\n<here>", spoiler_text: "" });
    const { body: versions } = await anybody().get(`/api/v1/statuses/${id}/history`).expect(200);
    expect(versions).toMatchObject([{ content, account: { acct: "alice" }, sensitive: false }]);
    await anybody().get(`/api/v1/statuses/${id}/source`).expect(401);
  });

  it("missing and hidden statuses are not found", async () => {
    const { id } = await said(alice, "not for everybody");
    const doors = ["", "/context", "/source", "/history", "/favourited_by", "/reblogged_by"];
    for (const door of doors)
      for (const wrong of ["1", "x", `${id}0`, "__proto__", "%00", id.replace(/^3/, "4")])
        await alice.get(`/api/v1/statuses/${wrong}${door}`).expect(404);
    const page = world.visitor();
    await page.logIn("alice");
    await page.post("/@bob/block").expect(303);
    for (const door of doors) await bob.get(`/api/v1/statuses/${id}${door}`).expect(404);
    await page.post("/@bob/unblock").expect(303);
    await bob.get(`/api/v1/statuses/${id}`).expect(200);
    const writer = await ApiClient.of(world, "bob", "write");
    for (const door of doors) await writer.get(`/api/v1/statuses/${id}${door}`).expect(403);
  });
});
