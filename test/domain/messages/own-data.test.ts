import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteAccount } from "../../../src/domain/accounts/erase.ts";
import { areFree } from "../../../src/domain/counters.ts";
import { exportLines } from "../../../src/domain/accounts/export.ts";
import { block } from "../../../src/domain/actions/block.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import {
  conversationsPage,
  getConversation,
  messagesFeed,
} from "../../../src/domain/messages/conversations.ts";
import { conversationAmong } from "../../../src/domain/messages/people.ts";
import { findUser, getUserByName, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { rowsIn, textOf } from "../../support/data/account-files.ts";
import { deliverAll, newPeople } from "../../support/actors/people.ts";
import { password } from "../../support/actors/visitor.ts";
import { finishJobs, runDoctor } from "../../support/world/doctor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const site = "https://suzume.example";

describe("messages as the data of a user", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  async function send(author: UserId, people: UserId[], text: string) {
    await deliverAll(
      world.ctx,
      await postTweet(world.ctx, author, { text, audience: "mentioned", people }),
    );
  }

  it("a conversation whose other people are gone or blocked is not listed: it has no page", async () => {
    const { ctx } = world;
    const [ann, bob] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await send(ann, [bob], "for bob");
    await send(ann, [], "a note");
    await block(ctx, { blocker: ann, blocked: bob });
    const viewer = { id: ann };
    const listed = (await conversationsPage(ctx, viewer, {})).items.map(({ id }) => id);
    expect(listed).toEqual([ann]);
    await expect(getConversation(ctx, viewer, conversationAmong([ann, bob]))).rejects.toThrow(
      "conversation",
    );
  });

  it("an export has the messages that the user wrote, to whom, and the conversations", async () => {
    const [ann, bob] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    const [me, other] = [await findUser(world.ctx, ann), await findUser(world.ctx, bob)];
    await send(ann, [bob], "mine");
    await send(bob, [ann], "theirs");
    const file = await textOf(exportLines(world.ctx, { user: me as User, site }));
    expect(rowsIn(file)["message"]).toEqual([
      expect.objectContaining({ text: "mine", audience: "mentioned", to: [other?.name] }),
    ]);
    expect(rowsIn(file)["conversation"]).toEqual([
      { people: [other?.name], newest_at: expect.any(String) as string },
    ]);
    expect(file).not.toContain("theirs");
  });

  it("erasing an account takes its messages from the conversations, and leaves those of others", async () => {
    await world.newcomer("leaver");
    const leaver = await getUserByName(world.ctx, "leaver");
    const [bob, cat] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    await send(leaver.id, [bob, cat], "from the leaver");
    await send(bob, [leaver.id, cat], "from bob");
    await send(leaver.id, [cat], "just for cat");
    await deleteAccount(world.ctx, leaver, { name: "leaver", password });
    await finishJobs(world);
    const id = conversationAmong([leaver.id, bob, cat]);
    const { items } = await messagesFeed(world.ctx, { id: cat }, id);
    expect(items.map(({ tweet }) => tweet.text)).toEqual(["from bob"]);
    const list = await conversationsPage(world.ctx, { id: cat }, {});
    expect(list.items.map((one) => one.id)).toEqual([id]);
    const gone = [
      keys.conversation(conversationAmong([leaver.id, cat])),
      keys.conversations(leaver.id),
      keys.conversationMarks(leaver.id),
      keys.sentMessages(leaver.id),
    ];
    expect(await areFree(world.ctx, gone)).toBe(true);
    expect((await runDoctor(world)).findings).toEqual([]);
  });
});
