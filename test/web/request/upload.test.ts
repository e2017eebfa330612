import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { picture } from "../../support/data/pictures.ts";
import { serve } from "../../support/world/serve.ts";
import { sessionCookie } from "../../support/inspect/cookies.ts";
import { alertsOn } from "../../support/inspect/page.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("uploads", () => {
  let world: World;
  let person: Visitor;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    person = await world.newcomer("somebody");
  });
  afterAll(() => world.close());

  const post = () => person.agent.post("/settings/avatar");
  const stored = async () => {
    const { id } = await getUserByName(world.ctx, "somebody");
    return await world.ctx.redis.hgetall(keys.user(id));
  };

  it("an upload without a file is asked for again", async () => {
    for (const asked of [
      post(),
      post().type("form").send({ avatar: "x" }),
      post().field("avatar", "x"),
      post().send({ avatar: "x" }),
    ]) {
      const { text } = await asked.expect(422);
      expect(alertsOn(text)).toEqual(["Please choose a picture first."]);
    }
    // What a browser sends for a field in which no file was chosen.
    const empty = post().type("multipart/form-data; boundary=x");
    const part = 'Content-Disposition: form-data; name="avatar"; filename=""';
    const body = `--x\r\n${part}\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--x--\r\n`;
    expect(alertsOn((await empty.send(body).expect(422)).text)).toHaveLength(1);
  });

  it("an upload is one file in its own field", async () => {
    const before = await stored();
    const png = await picture("png");
    await post().attach("avatar", png, "a.png").attach("avatar", png, "b.png").expect(422);
    await post().attach("other", png, "a.png").expect(422);
    await post().attach("avatar[]", png, "a.png").expect(422);
    await post().attach("avatar", png, "a.png").field("x".repeat(101), "y").expect(422);
    await post()
      .attach("avatar", png, "a.png")
      .field("x", "y".repeat(100 * 1024 + 1))
      .expect(422);
    const crowd = post().attach("avatar", png, "a.png");
    for (let nth = 0; nth < 50; nth += 1) void crowd.field(`a${nth}`, "b");
    await crowd.expect(422);
    expect(await stored()).toEqual(before);
  });

  it("uploads leave no mark on prototypes, nor on the account", async () => {
    const before = await stored();
    const png = await picture("png");
    const names = ["__proto__", "constructor", "toString", "role", "name", "id", "pass"];
    const asked = post().attach("avatar", png, "a.png");
    for (const name of names) void asked.field(name, "polluted");
    expect((await asked).status).toBe(303);
    for (const name of ["__proto__[x]", "constructor[prototype][x]", "__proto__.x"]) {
      await post().attach(name, png, "a.png").expect(422);
      const field = post().field(name, "y");
      await field
        .attach("avatar", png, "a.png")
        .expect((res) => expect(res.status).toBeLessThan(500));
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    expect(await stored()).toEqual({
      ...before,
      avatar: expect.any(String) as unknown,
    });
  });

  const send = async () => await post().attach("avatar", await picture("png"), "a.png");
  it("an aborted upload is harmless, and too many at once are refused", async () => {
    const cookie = sessionCookie(await world.visitor().logIn("somebody"));
    const site = await serve(world.app);
    const begun = await Promise.all(
      Array.from({ length: 3 }, () => beginUpload(site.port, cookie)),
    );
    await expect.poll(async () => (await send()).status).toBe(429);
    expect((await send()).headers["retry-after"]).toBe("10");
    for (const socket of begun) socket.destroy();
    await expect.poll(async () => (await send()).status).toBe(303);
    await site.close();
    expect(world.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

/** Sends a good beginning, and then nothing. */
async function beginUpload(port: number, cookie: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const head = [
    "POST /settings/avatar HTTP/1.1",
    "Host: localhost",
    `Cookie: ${cookie}`,
    "Content-Type: multipart/form-data; boundary=x",
    "Content-Length: 100000",
  ];
  const part = 'Content-Disposition: form-data; name="avatar"; filename="a.png"';
  const body = `--x\r\n${part}\r\nContent-Type: image/png\r\n\r\nsome bytes`;
  await new Promise<void>((resolve) => {
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`, () => resolve());
  });
  return socket;
}
