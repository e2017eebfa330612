import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block, unblock } from "../../src/domain/actions/block.ts";
import { deleteTweet } from "../../src/domain/actions/delete-tweet.ts";
import { eraseAccount } from "../../src/domain/accounts/erase.ts";
import { tweetId, type UserId } from "../../src/domain/ids.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { hiddenFields, typedFields } from "../support/inspect/page.ts";
import { closeChecked, finishJobs } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

async function begin(visitor: Visitor, to: string): Promise<string> {
  const { headers } = await visitor.post("/messages/new", { to }).expect(303);
  return headers["location"] ?? "";
}

describe("writing to people who are not there any more", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => closeChecked(world));

  async function newAuthor(name: string): Promise<{ visitor: Visitor; id: UserId }> {
    const visitor = await world.newcomer(name);
    return { visitor, id: (await getUserByName(world.ctx, name)).id };
  }

  async function write(visitor: Visitor, path: string, text: string): Promise<string> {
    const { text: page } = await visitor.get(path).expect(200);
    const fields = { ...hiddenFields(page, path), text };
    const { headers } = await visitor.post(path, fields).expect(303);
    await finishJobs(world);
    return headers["location"] ?? "";
  }

  it("a conversation names all who will read, also those who are blocked", async () => {
    const { visitor: ann, id } = await newAuthor("ann");
    const { id: bob } = await newAuthor("bob");
    await newAuthor("cat");
    const path = await begin(ann, "@bob @cat");
    await write(ann, path, "hello both");
    await block(world.ctx, { blocker: id, blocked: bob });
    const namesOn = async () =>
      /Only you, and:(.*?)<\/p>/s.exec((await ann.get(path).expect(200)).text)?.[1];
    expect(await namesOn()).toBe(' <a href="/@cat">@cat</a> @bob');
    await unblock(world.ctx, { blocker: id, blocked: bob });
    expect(await namesOn()).toBe(' <a href="/@bob">@bob</a> <a href="/@cat">@cat</a>');
  });

  it("a message to those who are left, as one has erased the account, leads to where it is", async () => {
    const { visitor: dan } = await newAuthor("dan");
    await newAuthor("eve");
    const { id: fay } = await newAuthor("fay");
    const path = await begin(dan, "@eve @fay");
    expect(await write(dan, path, "for both")).toBe(path);
    await world.ctx.redis.hset(keys.user(fay), { deleted_at: 1 });
    await eraseAccount(world.ctx, { user: fay, pass: "last" });
    const left = await write(dan, path, "for eve");
    expect(left).not.toBe(path);
    expect((await dan.see(left)).map(({ text }) => text)).toEqual(["for eve"]);
  });

  it("a text for a conversation that is gone is kept, for nobody else", async () => {
    const { visitor: gil, id } = await newAuthor("gil");
    const { id: hal } = await newAuthor("hal");
    const path = await begin(gil, "@hal");
    const { text: page } = await gil.get(path).expect(200);
    await block(world.ctx, { blocker: hal, blocked: id });
    const fields = { ...hiddenFields(page, path), text: "a long letter" };
    const { text: refused } = await gil.post(path, fields).expect(422);
    expect(refused).toContain("You can no longer write in this conversation");
    expect(typedFields(refused, "/tweets")["text"]).toBe("a long letter");
    expect(refused).toContain('<option value="mentioned" selected');
    await gil.get(path).expect(404);
  });

  it("the text of an edit is kept when the tweet was deleted meanwhile", async () => {
    const { visitor: ida, id } = await newAuthor("ida");
    await ida.tweet("first words");
    const tweet = tweetId((await world.ctx.redis.zrange(keys.userTimeline(id), 0, "0"))[0] ?? "");
    const path = `/tweets/${tweet}/edit`;
    const { text: page } = await ida.get(path).expect(200);
    await deleteTweet(world.ctx, id, tweet);
    const typed = { ...hiddenFields(page, path), ...typedFields(page, path), text: "better words" };
    const { text: refused } = await ida.post(path, typed).expect(422);
    expect(refused).toContain("The tweet was deleted meanwhile");
    const again = { ...hiddenFields(refused, "/tweets"), ...typedFields(refused, "/tweets") };
    await ida.post("/tweets", again).expect(303);
    expect((await ida.see("/@ida")).map(({ text }) => text)).toEqual(["better words"]);
  });
});
