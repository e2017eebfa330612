import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { changePassword } from "../../../../src/domain/accounts/change-password.ts";
import { tweetId } from "../../../../src/domain/ids.ts";
import { getUserByName, type User } from "../../../../src/domain/users/store.ts";
import { exec } from "../../../../src/redis/exec.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { exportFileWith, rowsIn } from "../../../support/data/account-files.ts";
import { serve, type Site } from "../../../support/world/serve.ts";
import { sessionCookie } from "../../../support/inspect/cookies.ts";
import { alertsOn } from "../../../support/inspect/page.ts";
import { password, type Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const path = "/settings/data";

describe("the data page", () => {
  let world: World;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    person = await world.newcomer("keeper");
  });
  afterAll(() => world.close());

  it("the data page and its downloads require a log-in", async () => {
    for (const page of ["", "/export.jsonl", "/export-tweets.csv", "/export-follows.csv"]) {
      const { headers } = await world
        .visitor()
        .get(path + page)
        .expect(303);
      expect(headers["location"]).toContain("/login");
    }
    await upload(world.visitor(), exportFileWith({})).expect(303).expect("Location", /login/);
    const { text } = await person.get("/settings/profile").expect(200);
    expect(text).toContain(`href="${path}"`);
  });

  it("the data page offers files, each under its own name", async () => {
    await person.tweet("kept");
    const { text } = await person.get(path).expect(200);
    const links = [...text.matchAll(/href="([^"]*\/export[^"]*)"/g)].map(([, href = ""]) => href);
    expect(links).toHaveLength(5);
    for (const link of links) {
      const answer = await person.get(link).expect(200);
      expect(answer.headers["content-disposition"]).toMatch(
        /^attachment; filename="suzume-keeper-\d{4}-\d\d-\d\d[\w-]*\.(jsonl|csv|zip)"$/,
      );
      expect(answer.headers["cache-control"]).toBe("no-store");
      const head = await person.agent.head(link).expect(200);
      expect(head.headers["content-type"]).toBe(answer.headers["content-type"]);
    }
    const { tweet } = rowsIn((await person.get(`${path}/export.jsonl`)).text);
    expect(tweet).toMatchObject([{ text: "kept" }]);
    await person.get(`${path}/export.json`).expect(303).expect("Location", `${path}/export.jsonl`);
  });

  it("a download leaves nothing in the memory", async () => {
    const { id } = await getUserByName(world.ctx, "keeper");
    for (let nth = 1; nth <= 50; nth += 1) {
      const tweet = tweetId(String(900 + nth));
      const fields = { user_id: id, text: "old", created_at: String(nth * 1e6) };
      await world.ctx.redis.hset(keys.tweet(tweet), fields);
      await world.ctx.redis.zadd(keys.userTimeline(id), nth * 1e6, tweet);
    }
    await person.get("/settings/profile").expect(200);
    const { entries } = world.ctx.memory.stats();
    const { text } = await person.get(`${path}/export.jsonl`).expect(200);
    expect(rowsIn(text)["tweet"]?.length).toBeGreaterThan(50);
    expect(world.ctx.memory.stats().entries - entries).toBeLessThan(20);
    for (let nth = 1; nth <= 50; nth += 1)
      await world.ctx.redis.del(keys.tweet(tweetId(String(900 + nth))));
    await world.ctx.redis.zremrangebyscore(keys.userTimeline(id), 0, 50e6);
  });

  it("the data page takes a file, promises the rest and shows the progress", async () => {
    const importer = await world.newcomer("importer");
    const tweets = [{ text: "old", created_at: "2020-01-01T00:00:00Z" }];
    await upload(importer, exportFileWith({ tweet: tweets }))
      .expect(303)
      .expect("Location", path);
    const { text: preview } = await importer.get(path).expect(200);
    expect(preview).toMatch(
      /This file from Suzume.*Nothing has been imported yet.*January 1, 2020.*1 tweet\./s,
    );
    expect(await importer.see("/@importer")).toEqual([]);
    await importer.steerImport("start");
    const { text } = await importer.get(path).expect(200);
    expect(text).toMatch(/Importing.*0 of 1/s);
    expect(text).toContain('<progress value="0" max="1"');
    const counts = await world.queues.counts();
    expect(counts).toContainEqual({ queue: "accounts", state: "waiting", count: 1 });
  });

  it("the data page says what is wrong with a file", async () => {
    const refused = async (sent: ReturnType<typeof upload>) =>
      alertsOn((await sent.expect(422)).text);
    expect(await refused(upload(person, Buffer.from("{}")))).toEqual([
      "This is not a whole file exported from Suzume, X, Mastodon or Bluesky.",
    ]);
    expect(await refused(upload(person, Buffer.alloc(21 * 1024 * 1024, " ")))).toEqual([
      "That file is too large.",
    ]);
    expect(await refused(upload(person, exportFileWith({}), "other"))).toHaveLength(1);
    expect(await refused(person.post(path, { file: "text" }))).toEqual([
      "Please choose a file first.",
    ]);
    expect(await refused(person.agent.post(path).field("file", "text"))).toHaveLength(1);
    const broken = person.agent.post(path).type("multipart/form-data; boundary=x").send("--x\r\n");
    expect(await refused(broken)).toHaveLength(1);
    const { text } = await person.get(path);
    expect(text).not.toContain("<progress");
  });

  describe("slow downloads", () => {
    let site: Site;
    let user: User;
    let cookie: string;
    const count = 20_000;
    beforeAll(async () => {
      await world.newcomer("prolific");
      user = await getUserByName(world.ctx, "prolific");
      const long = "雀".repeat(280);
      for (let first = 0; first < count; first += 1000)
        await exec(
          world.ctx.redis,
          Array.from({ length: 1000 }, (_, nth) => first + nth + 5_000_000).flatMap((tweet) => [
            [
              "hset",
              keys.tweet(tweetId(tweet)),
              "text",
              long,
              "user_id",
              user.id,
              "created_at",
              tweet,
            ],
            ["zadd", keys.userTimeline(user.id), tweet, tweet],
          ]),
        );
      site = await serve(world.app);
    });
    beforeEach(async () => {
      cookie = sessionCookie(await world.visitor().logIn("prolific"));
    });
    afterAll(() => site.close());

    /** A download whose client reads nothing after the first bytes. */
    const begin = async () => {
      const socket = connect(site.port, "127.0.0.1");
      socket.write(
        `GET ${path}/export.jsonl HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: ${cookie}\r\n\r\n`,
      );
      await new Promise((resolve) => socket.once("readable", resolve));
      return socket;
    };

    it("an aborted download stops reading", async () => {
      const reads = vi.spyOn(world.ctx.redis, "zrange").mock.calls;
      const socket = await begin();
      // Nothing reads on: what the sockets hold is full, and then nothing more is looked up.
      let held = 0;
      for (let same = 0; same < 3; same = reads.length === held ? same + 1 : 0) {
        held = reads.length;
        await sleep(300);
      }
      expect(held).toBeLessThan(count / 500);
      socket.destroy();
      await sleep(200);
      expect(reads.length - held).toBeLessThan(3);
      // The place in the queue of downloads is free again.
      const headers = { Cookie: cookie };
      for (let nth = 0; nth < 3; nth += 1) {
        const again = await site.send({
          method: "GET",
          path: `${path}/export-follows.csv`,
          headers,
        });
        expect(again.status).toBe(200);
      }
      expect(world.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
    });

    const endings = {
      "log-out": () => site.send({ method: "POST", path: "/logout", headers: { Cookie: cookie } }),
      "new password": () =>
        changePassword(world.ctx, user, { current: password, next: "another horse 43" }),
    };
    it.each(["log-out", "new password"] as const)(
      "a download is cut after a %s",
      async (ending) => {
        const socket = await begin();
        await endings[ending]();
        const chunks: Buffer[] = [];
        socket.on("data", (chunk: Buffer) => void chunks.push(chunk)).on("error", () => {});
        await new Promise((resolve) => socket.once("close", resolve));
        const text = Buffer.concat(chunks).toString();
        expect(text.slice(0, 20)).toContain("200 OK");
        expect(text.slice(-100)).not.toContain('"kind":"end"');
        expect(world.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
      },
    );
  });
});

function upload(who: Visitor, file: Buffer, field = "file") {
  return who.agent.post(path).attach(field, file, "export.jsonl");
}
