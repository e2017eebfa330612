import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { mutedWordId } from "../../src/domain/graph/muted-words.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../src/domain/users/suspension.ts";
import { expectSame } from "../support/inspect/expect-same.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** A process that stands still for a second trusts its connections no more, and keeps nothing over it. */
const onBusyMachines = { retry: 3 };
const minute = 60_000;
/** A test asks from another port each time. */
const baseUrl = "http://site.test";

describe("a kept page", () => {
  let world: World;
  let ann: Visitor;
  let ben: Visitor;
  let tweet: string;
  beforeAll(async () => {
    world = await createWorld({ baseUrl });
    ann = await world.newcomer("ann");
    ben = await world.newcomer("ben");
    await ann.follow("ben");
    await ben.tweet("A sparrow on the wire #birds");
    await world.delivered();
    tweet = (await ann.see("/"))[0]?.id ?? "";
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(() => world.close());

  const paths = () => ["/", "/@ben", `/tweets/${tweet}`, "/explore", "/tags/birds"];

  it("a kept page asks Redis for nothing while nothing happens", onBusyMachines, async () => {
    // A fresh tweet tells its age in seconds. The session is renewed once in an hour, which the first pages see to.
    world.pass(90 * minute);
    onTestFinished(() => world.pass(-90 * minute));
    for (const path of [...paths(), ...paths()]) await ann.get(path).expect(200);
    const { misses } = world.ctx.memory.stats();
    const sent = vi.spyOn(world.ctx.redis, "sendCommand");
    world.pass(minute / 3);
    for (const path of paths()) await ann.get(path).expect(200);
    expect(sent).not.toHaveBeenCalled();
    expect(world.ctx.memory.stats().misses).toBe(misses);
    await ann.get("/settings/profile").expect(200);
    await ben.post("/logout").expect(303);
    expect(sent).toHaveBeenCalled();
    await ben.logIn("ben");
  });

  it("a kept page is sent again byte for byte, headers included", onBusyMachines, async () => {
    for (const visitor of [ann, world.visitor()])
      for (const path of paths()) {
        const first = await visitor.get(path).expect(200);
        const again = await visitor.get(path).expect(200);
        expectSame(again.text, first.text, path);
        const { date: _, ...headers } = first.headers as Record<string, string>;
        expect(again.headers).toMatchObject(headers);
      }
  });

  it("a kept page is sent in fewer bytes after a while", onBusyMachines, async () => {
    // A try that was too early begins with another page.
    const path = `/@ben?try=${Date.now()}`;
    const first = await zipped(ann, path);
    await sleep(1100);
    await zipped(ann, path);
    await sleep(200);
    const later = await zipped(ann, path);
    expectSame(later.text, first.text, path);
    expect(Number(later.headers["content-length"])).toBeLessThan(
      Number(first.headers["content-length"]),
    );
  });

  it("a kept page is made anew as soon as its content changes, in any process", async () => {
    const muted = { word: "sparrow", duration: "ever" };
    const profile = { fullname: "Ben Other", bio: "" };
    const changes: [change: () => Promise<unknown>, shows: RegExp][] = [
      [() => ben.post(`/tweets/${tweet}/like`).expect(303), /formaction="[^"]*\/like"[^>]*>1</],
      [() => ann.post(`/tweets/${tweet}/like`).expect(303), /\/unlike"/],
      [() => ben.post("/settings/profile", profile).expect(303), /Ben Other/],
      [() => ben.follow("ann"), /main-nav-badge/],
      [async () => world.pass(5 * minute), />[5-9]m</],
      [() => ann.post("/settings/muted", muted).expect(303), /^(?!.*on the wire)/s],
      [
        () => ann.post("/settings/muted/remove", { filter: mutedWordId("sparrow") }).expect(303),
        /on the wire/,
      ],
      [() => ben.post(`/tweets/${tweet}/delete`).expect(303), /^(?!.*on the wire)/s],
    ];
    for (const [nth, [change, shows]] of changes.entries()) {
      await ann.get("/").expect(200);
      await change();
      const { text } = await ann.get("/").expect(200);
      expect({ nth, shows: shows.test(text) }).toEqual({ nth, shows: true });
    }
    await ben.tweet("A sparrow on the wire #birds");
    await world.delivered();
    tweet = (await ann.see("/"))[0]?.id ?? "";
  });

  it(
    "of a kept page whose list alone has changed only the list is made anew",
    onBusyMachines,
    async () => {
      const remade = async () => {
        const { text } = await world.visitor().get("/metrics").expect(200);
        return Number(/^suzume_kept_pages_remade_total (\d+)$/m.exec(text)?.[1]);
      };
      const before = (await zipped(ann, "/")).text;
      await ben.tweet("The sparrow is back");
      await world.delivered();
      const count = await remade();
      const render = vi.spyOn(world.app, "render");
      const after = (await zipped(ann, "/")).text;
      // Nor does its template run.
      expect(render).not.toHaveBeenCalled();
      expect(after).toContain("The sparrow is back");
      expect(hiddenFields(after, "/tweets")).not.toEqual(hiddenFields(before, "/tweets"));
      expect((await zipped(ann, "/")).text).toBe(after);
      expect(await remade()).toBe(count + 1);
      // A notification changes the navigation, so all is made anew.
      await ben.tweet("The sparrow asks for @ann");
      await world.delivered();
      const more = await remade();
      expect((await zipped(ann, "/")).text).toMatch(/main-nav-badge[^]*The sparrow asks for/);
      expect(await remade()).toBe(more);
      // Looking at a profile is counted, so its handler makes it each time.
      await zipped(ann, "/@ben");
      await ben.tweet("The sparrow has gone");
      await world.delivered();
      const most = await remade();
      expect((await zipped(ann, "/@ben")).text).toContain("The sparrow has gone");
      expect(await remade()).toBe(most);
    },
  );

  it("a kept page ends with its session, its user and the viewer's rights", async () => {
    const { ctx } = world;
    const cat = await world.newcomer("cat");
    const twin = new Visitor(world.app);
    await twin.logIn("cat");
    await twin.get("/").expect(200);
    await twin.get("/settings/sessions").expect(200);
    expect((await cat.get("/").expect(200)).text).toContain('href="/@cat"');
    await cat.post("/settings/sessions").expect(303);
    await twin
      .get("/")
      .expect(303)
      .expect("Location", /^\/login/);
    const user = await getUserByName(ctx, "cat");
    await suspendUser(ctx, user);
    await cat
      .get("/")
      .expect(303)
      .expect("Location", /^\/login/);
    await reinstateUser(ctx, user);
  });

  it("a kept page is not sent to another user, language, host or encoding", async () => {
    const mine = (await ann.get("/").expect(200)).text;
    const theirs = (await ben.get("/").expect(200)).text;
    expect(mine).toContain('href="/@ann"');
    expect(theirs).toContain('href="/@ben"');
    const english = world.visitor("en");
    const japanese = world.visitor("ja");
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await english.get("/explore")).text).toContain('lang="en"');
      expect((await japanese.get("/explore")).text).toContain('lang="ja"');
      for (const encoding of ["gzip", "br", "identity"]) {
        const answer = await english.get("/explore").set("Accept-Encoding", encoding);
        expect(answer.headers["content-encoding"] ?? "identity").toBe(encoding);
      }
    }
  });

  it("a session cookie in any spelling gets no page kept for visitors", async () => {
    const mark = 'action="/logout"';
    const { headers } = await world.visitor().signUp("eve");
    const cookie = /suzume=([^;]+)/.exec(String(headers["set-cookie"]))?.[1] ?? "";
    for (const [nth, spelled] of ["suzume =", "suzume\t=", "suzume= ", 'suzume="'].entries()) {
      const path = `/explore?spelled=${nth}`;
      const header = `${spelled}${cookie}${spelled.endsWith('"') ? '"' : ""}`;
      const { text } = await world.visitor().get(path).set("Cookie", header);
      expect(text).toContain(mark);
      expect((await world.visitor().get(path)).text).not.toContain(mark);
    }
  });

  it("from a kept page a form counts once, and two texts of two copies twice", async () => {
    const [one, two] = [await ann.get("/").expect(200), await ann.get("/").expect(200)];
    expect(hiddenFields(one.text, "/tweets")).toEqual(hiddenFields(two.text, "/tweets"));
    for (const text of ["first tab", "second tab", "second tab"])
      await ann.post("/tweets", { ...hiddenFields(two.text, "/tweets"), text }).expect(303);
    const texts = (await ann.see("/@ann")).map(({ text }) => text);
    expect(texts.filter((text) => text.endsWith("tab"))).toEqual(["second tab", "first tab"]);
  });
});

async function zipped(visitor: Visitor, path: string) {
  return await visitor.get(path).set("Accept-Encoding", "gzip").expect(200);
}
