import { Cluster } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findUserByName } from "../../../../src/domain/users/store.ts";
import { indexPerson } from "../../../../src/domain/search/index-person.ts";
import { reinstateUser, suspendUser } from "../../../../src/domain/users/suspension.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { newPeople } from "../../../support/actors/people.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { alertsOn, hiddenFields, olderOn } from "../../../support/inspect/page.ts";
import { fill, routesOf } from "../../../support/world/routes.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const namesOn = (html: string) =>
  [...html.matchAll(/href="\/admin\/people\/(\w+)"/g)].map(([, name]) => name);

const give = (by: Visitor, name: string, role: string) =>
  by.post(`/admin/people/${name}`, { role, note: "" });
const isOpen = (status: number) => status !== 403;

describe("people and their roles", () => {
  let world: World;
  let boss: Visitor;
  let ann: Visitor;
  let bea: Visitor;
  beforeAll(async () => {
    // Pages are kept by their address: the tests ask at changing ports.
    const settings = { admins: ["boss"], baseUrl: "http://localhost:3000" };
    world = await createWorld(settings, { workers: false });
    boss = await world.newcomer("boss");
    ann = await world.newcomer("ann");
    bea = await world.newcomer("bea");
  });
  afterAll(() => world.close());

  const find = async (name: string) => {
    const user = await findUserByName(world.ctx, name);
    if (user === undefined) throw new Error(`no ${name}`);
    return user;
  };

  it("each page of the admin area is open to just the roles that the table names", async () => {
    await give(boss, "ann", "moderator").expect(303);
    const forModerators = new Set([
      "get /admin",
      "get /admin/reports",
      "post /admin/reports",
      "get /admin/suspended",
      "post /admin/suspended",
      "get /admin/people",
      "get /admin/people/:name",
      "get /admin/requests",
      "get /admin/audit",
    ]);
    const routes = routesOf(world.app).filter(({ path }) => path.startsWith("/admin"));
    expect(routes.length).toBeGreaterThan(12);
    for (const { method, path } of routes) {
      const url = fill(path, { name: "bea" });
      const ask = (visitor: Visitor) => visitor.agent[method](url);
      const stranger = await ask(world.visitor());
      expect([method, path, stranger.status]).toEqual([method, path, 303]);
      expect(stranger.headers["location"]).toMatch(/^\/login/);
      expect([method, path, (await ask(bea)).status]).toEqual([method, path, 403]);
      const isForModerator = forModerators.has(`${method} ${path}`);
      expect([method, path, isOpen((await ask(ann)).status)]).toEqual([
        method,
        path,
        isForModerator,
      ]);
      expect([method, path, isOpen((await ask(boss)).status)]).toEqual([method, path, true]);
    }
    for (const path of ["/ADMIN/Site", "/admin/site/", "/admin/%73ite", "/admin/people/../site"])
      expect([path, (await ann.get(path)).status]).toEqual([path, 403]);
    expect((await ann.get("/Admin/Reports/")).status).toBe(200);
    const { text } = await ann.get("/admin").expect(200);
    expect(text).toContain('href="/admin/people"');
    expect(text).not.toMatch(/href="\/admin\/(site|reset|queues|invitations|blocks)"/);
    await give(boss, "ann", "member").expect(303);
  });

  it("a role counts at once, in sessions that are open, and is logged", async () => {
    await ann.get("/admin/reports").expect(403);
    await give(boss, "ann", "moderator").expect(303);
    await ann.get("/admin/reports").expect(200);
    expect((await ann.get("/").expect(200)).text).toContain('href="/admin"');
    await give(ann, "bea", "moderator").expect(403);
    await give(boss, "ann", "admin").expect(303);
    await give(ann, "bea", "moderator").expect(303);
    await bea.get("/admin/reports").expect(200);
    await give(ann, "bea", "member").expect(303);
    await bea.get("/admin/reports").expect(403);
    expect((await bea.get("/").expect(200)).text).not.toContain('href="/admin"');
    await give(boss, "ann", "member").expect(303);
    const log = (await boss.get("/admin/audit").expect(200)).text.replaceAll(/<[^>]*>/g, "");
    for (const act of ["@boss made @ann a moderator", "@boss made @ann an admin"])
      expect(log).toContain(act);
    expect(log).toContain("@ann took the role of @bea");
    expect(await world.ctx.redis.hlen(keys.staff)).toBe(0);
    expect(await world.ctx.redis.hexists(keys.user((await find("ann")).id), "role")).toBe(0);
  });

  it("the badge costs a moderator's page no command while nothing changes, and stays true", async () => {
    await give(boss, "ann", "moderator").expect(303);
    const { redis } = world.ctx;
    const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
    const badge = async () =>
      (await ann.get("/explore").expect(200)).text.includes("account-badge");
    for (let nth = 0; nth < 3; nth += 1) expect(await badge()).toBe(false);
    await Promise.all(nodes.map((node) => node.config("RESETSTAT")));
    expect(await badge()).toBe(false);
    const infos = await Promise.all(nodes.map((node) => node.info("commandstats")));
    const asked = [...infos.join("\n").matchAll(/^cmdstat_([^:]+)/gm)].map(([, name]) => name);
    expect(asked.filter((name) => !/^(config|info|ping|client)/.test(name ?? ""))).toEqual([]);
    await boss.post("/@bea/report", { reason: "spam" }).expect(303);
    expect(await badge()).toBe(true);
    const { text } = await ann.get("/admin/reports").expect(200);
    const fields = { ...hiddenFields(text, "/admin/reports"), verb: "dismiss" };
    await ann.post("/admin/reports", fields).expect(303);
    expect(await badge()).toBe(false);
    await give(boss, "ann", "member").expect(303);
  });

  it("the form for a role keeps the note, and says beside it why it was refused", async () => {
    const page = await boss.get("/admin/people/boss").expect(200);
    expect(page.text).toContain("by the setting ADMINS");
    expect(page.text).not.toContain('name="role"');
    const { text } = await give(boss, "boss", "member").expect(422);
    expect(text).not.toContain('name="role"');
    const form = (await boss.get("/admin/people/ann").expect(200)).text;
    const fields = { ...hiddenFields(form, "/admin/people/ann"), role: "admin" };
    const long = await boss
      .post("/admin/people/ann", { ...fields, note: "x".repeat(501) })
      .expect(422);
    expect(alertsOn(long.text)).toEqual(["Please use at most 500 characters."]);
    expect(long.text).toContain("x".repeat(501));
    await give(boss, "ann", "emperor").expect(422);
    await give(boss, "nobody", "admin").expect(404);
    expect((await find("ann")).role).toBe("");
  });

  it("of admins without ADMINS the last one stays, also if two take each other's role at once", async () => {
    await give(boss, "ann", "admin").expect(303);
    await give(boss, "bea", "admin").expect(303);
    world.ctx.config.admins = [];
    try {
      await boss.get("/admin").expect(403);
      const taken = await Promise.all([give(ann, "bea", "member"), give(bea, "ann", "member")]);
      expect(taken.map(({ status }) => status)).toContain(303);
      const admins = await Promise.all(["ann", "bea"].map(find));
      const left = admins.find(({ role }) => role === "admin");
      expect(left).toBeDefined();
      expect(admins.filter(({ role }) => role === "admin")).toHaveLength(1);
      const last = left?.name === "ann" ? ann : bea;
      for (const role of ["member", "moderator"]) {
        const { text } = await give(last, left?.name ?? "", role).expect(422);
        expect(alertsOn(text)).toEqual([
          "This is the last admin. First make another account an admin.",
        ]);
      }
      await last.get("/admin").expect(200);
    } finally {
      world.ctx.config.admins = ["boss"];
      for (const name of ["ann", "bea"]) await give(boss, name, "member").expect(303);
    }
  });

  it("moderators and admins cannot be suspended, and a suspended account gets no role", async () => {
    await give(boss, "ann", "moderator").expect(303);
    await boss.post("/admin/suspended", { name: "ann", verb: "suspend" }).expect(422);
    await ann.post("/admin/suspended", { name: "boss", verb: "suspend" }).expect(422);
    expect((await boss.get("/admin/people/ann").expect(200)).text).not.toContain('value="suspend"');
    await give(boss, "ann", "member").expect(303);
    const guest = await find("bea");
    await suspendUser(world.ctx, guest);
    const { text } = await give(boss, "bea", "admin").expect(422);
    expect(alertsOn(text)).toEqual([expect.stringContaining("cannot have a role")]);
    await reinstateUser(world.ctx, guest);
    await bea.logIn("bea");
  });

  it("people can be found by the start of a name, suspended ones too", async () => {
    await suspendUser(world.ctx, await find("bea"));
    await indexPerson(world.ctx, (await find("bea")).id);
    for (const q of ["bea", "@BEA", "be"]) {
      const { text } = await boss.get(`/admin/people?q=${q}`).expect(200);
      expect(namesOn(text)).toEqual(["bea"]);
      expect(text).toContain("Suspended");
    }
    expect((await boss.get("/admin/people?q=zzz")).text).toContain("No account has this name.");
    await reinstateUser(world.ctx, await find("bea"));
  });

  it("people are listed page by page, each once, also where accounts are gone", async () => {
    await newPeople(world.ctx, 120);
    for (const id of ["40", "41", "42"]) await world.ctx.redis.del(`user:${id}`);
    const seen: (string | undefined)[] = [];
    for (let next: string | undefined = "/admin/people"; next !== undefined;) {
      const { text } = await boss.get(next).expect(200);
      const [, all = ""] = text.split('id="accounts-heading"');
      seen.push(...namesOn(all));
      next = olderOn(text);
    }
    expect(seen).toHaveLength(120);
    expect(new Set(seen).size).toBe(120);
    expect(seen.slice(-3)).toEqual(["bea", "ann", "boss"]);
  });
});
