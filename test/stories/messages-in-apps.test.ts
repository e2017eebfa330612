import type { mastodon } from "masto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../src/web/server/listen.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { connectApp, type Connected } from "./mastodon-client.ts";

describe("messages in a Mastodon client", () => {
  let world: World;
  let server: Awaited<ReturnType<typeof listen>>;
  let bob: Visitor;
  let app: Connected;
  let path = "";
  beforeAll(async () => {
    world = await createWorld();
    server = await listen(world.app, { ...world.ctx.config, port: 0, host: "127.0.0.1" });
    const alice = await world.newcomer("alice");
    bob = await world.newcomer("bob");
    app = await connectApp(server.url, alice);
  });
  afterAll(async () => {
    await server.close();
    await closeChecked(world);
  });

  const conversations = async () => await app.rest.v1.conversations.list();

  it("a message from the site is heard, listed, and answered in its conversation", async () => {
    const streaming = await app.streaming();
    const heard = streaming.direct.subscribe().values().next();
    // The subscription is on its way once the site has answered a later request.
    await streaming.prepare();
    await conversations();
    path =
      (await bob.post("/messages/new", { to: "@alice" }).expect(303)).headers["location"] ?? "";
    await bob.post(path, { text: "Psst, alice" }).expect(303);
    const { value } = (await heard) as { value: mastodon.streaming.Event };
    expect(value).toMatchObject({ stream: ["direct"], event: "conversation" });
    const { id, lastStatus } = value.payload as mastodon.v1.Conversation;
    streaming.close();
    const [shown] = await conversations();
    expect(shown).toMatchObject({ id, unread: true, accounts: [{ acct: "bob" }] });

    const status = "Just between us";
    await app.rest.v1.statuses.create({ status, inReplyToId: lastStatus?.id ?? "" });
    await world.delivered();
    expect((await bob.see(path)).map(({ text }) => text)).toEqual([status, "Psst, alice"]);
    expect(await bob.see("/@alice/replies")).toEqual([]);
    const context = await app.rest.v1.statuses.$select(lastStatus?.id ?? "").context.fetch();
    expect(context.descendants.map(({ content }) => content)).toEqual([`<p>${status}</p>`]);
  });

  it("a conversation is read and removed", async () => {
    await bob.post(path, { text: "One more" }).expect(303);
    await world.delivered();
    const [shown] = await conversations();
    expect(shown?.unread).toBe(true);
    const one = app.rest.v1.conversations.$select(shown?.id ?? "");
    expect(await one.read()).toMatchObject({ id: shown?.id, unread: false });
    expect((await conversations())[0]?.unread).toBe(false);
    await one.remove();
    expect(await conversations()).toEqual([]);
  });

  it("a tweet for followers and a message are posted, and who asks to follow is answered", async () => {
    const { create } = app.rest.v1.statuses;
    const secret = await create({ status: "For followers only", visibility: "private" });
    const message = await create({ status: "@bob a word", visibility: "direct" });
    expect([secret.visibility, message.visibility]).toEqual(["private", "direct"]);
    await world.delivered();
    expect(await bob.see("/@alice")).toEqual([]);
    const [shown] = await conversations();
    expect(shown).toMatchObject({ accounts: [{ acct: "bob" }], lastStatus: { id: message.id } });

    await app.rest.v1.accounts.updateCredentials({ locked: true });
    await bob.follow("alice");
    const [asker] = await app.rest.v1.followRequests.list();
    expect(asker?.acct).toBe("bob");
    await app.rest.v1.followRequests.$select(asker?.id ?? "").authorize();
    expect((await bob.see("/@alice")).map(({ text }) => text)).toEqual(["For followers only"]);
  });
});
