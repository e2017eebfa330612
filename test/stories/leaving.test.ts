import { Queue } from "bullmq";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { peopleOn } from "../support/inspect/page.ts";
import { password } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

describe("leaving", () => {
  let world: World;
  let accounts: Queue;
  beforeAll(async () => {
    world = await createWorld();
    accounts = new Queue("accounts", { connection: world.ctx.redis, prefix: queuePrefix });
  });
  afterAll(async () => {
    await accounts.close();
    await closeChecked(world);
  });

  /** Resolves once nothing is to be done about accounts, the last pass of a deletion included. */
  async function settled(): Promise<void> {
    while ((await accounts.getJobCountByTypes("waiting", "active", "delayed")) > 0) {
      await accounts.promoteJobs();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  it("a user exports everything, leaves nothing behind, and begins anew under another name", async () => {
    const mover = await world.newcomer("mover");
    const friend = await world.newcomer("friend");
    await mover.follow("friend");
    await friend.follow("mover");
    for (const text of ["first", "second, 雀", "third"]) await mover.tweet(text);
    await friend.tweet("hello, @mover");
    await world.delivered();
    expect((await friend.see("/")).map(({ text }) => text)).toContain("third");

    const { text: file } = await mover.get("/settings/data/export.jsonl").expect(200);
    const fields = { name: "mover", password };
    const goodbye = await mover.post("/settings/account/delete", fields).expect(303);
    expect((await mover.get(goodbye.headers["location"] as string)).text).toContain("Goodbye");

    await world.visitor().get("/@mover").expect(404);
    await settled();
    for (const path of ["/", "/explore"])
      expect((await friend.see(path)).map(({ text }) => text)).toEqual(["hello, @mover"]);
    for (const list of ["followers", "followings"]) {
      const { text } = await friend.get(`/@friend/${list}`).expect(200);
      expect(peopleOn(text)).toEqual([]);
    }
    await world.visitor().post("/login", fields).expect(422);

    const taken = { ...fields, fullname: "Another" };
    await world.visitor().post("/signup", taken).expect(422);
    await world.visitor().get("/@mover").expect(404);

    world.pass(24 * 60 * 60 * 1000);
    const again = await world.newcomer("moved");
    expect(await again.see("/@moved")).toEqual([]);
    await friend.follow("moved");
    await again.import(Buffer.from(file));
    await settled();
    const { text: page } = await again.get("/settings/data").expect(200);
    expect(page).toMatch(/Done.*4 of 4.*3 tweets imported.*1 person followed/s);
    expect((await again.see("/@moved")).map(({ text }) => text)).toEqual([
      "third",
      "second, 雀",
      "first",
    ]);
    const home = ["hello, @mover", "third", "second, 雀", "first"];
    for (const reader of [again, friend])
      expect((await reader.see("/")).map(({ text }) => text)).toEqual(home);
    await again
      .get("/@moved/followings")
      .expect(200)
      .expect(/friend/);

    await again.import(Buffer.from(file));
    await settled();
    expect((await again.see("/@moved")).map(({ text }) => text)).toHaveLength(3);
    const { text: second } = await again.get("/settings/data").expect(200);
    expect(second).toContain("4 already existed.");
  });
});
