import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { keepReport } from "../../../../src/domain/moderation/store.ts";
import { userId } from "../../../../src/domain/ids.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { dump } from "../../../support/world/dump.ts";
import { fill, routesOf } from "../../../support/world/routes.ts";
import { alertsOn, hiddenFields, olderOn } from "../../../support/inspect/page.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

const asText = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("moderation pages", () => {
  let world: World;
  let boss: Visitor;
  let person: Visitor;
  let author: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    [boss, person, author] = [
      await world.newcomer("Boss"),
      await world.newcomer("bossy"),
      await world.newcomer("author"),
    ];
    await author.tweet("by author");
  });
  afterAll(() => world.close());

  const idOf = async (name: string) => (await getUserByName(world.ctx, name)).id;
  const adminRoutes = () =>
    routesOf(world.app)
      .filter(({ path }) => path.startsWith("/admin"))
      .map(({ method, path }) => ({
        method,
        path: fill(path, { name: "author", queue: "deliver" }),
      }));

  it("moderation pages are for admins only, whatever is sent", async () => {
    expect(adminRoutes().length).toBeGreaterThan(5);
    const id = await idOf("author");
    const bodies: Record<string, string>[] = [
      {},
      { subject: "t1", verb: "remove" },
      { subject: `p${id}`, verb: "suspend" },
      { name: "author", verb: "suspend" },
      { name: "author", verb: "suspend", admin: "true", by: await idOf("Boss") },
    ];
    const before = await dump(world.ctx);
    const doors = (method: string) =>
      adminRoutes().flatMap((route) => (route.method === method ? [route.path] : []));
    for (const path of doors("get")) {
      const { headers } = await world.visitor().get(path).expect(303);
      expect(headers["location"]).toBe(`/login?next=${encodeURIComponent(path)}`);
      const { text } = await person.get(path).expect(403);
      expect(text).not.toMatch(/reported by|Audit log|Suspended accounts/);
      expect([path, (await boss.get(path)).status]).toEqual([path, 200]);
    }
    for (const path of doors("post"))
      for (const body of bodies) {
        const { headers } = await world.visitor().post(path, body).expect(303);
        expect(headers["location"]).toMatch(/^\/login/);
        await person.post(path, body).expect(403);
      }
    expect(await dump(world.ctx)).toEqual(before);
  });

  it("moderation pages are linked from an admin's navigation only", async () => {
    expect((await boss.get("/").expect(200)).text).toContain('href="/admin"');
    for (const visitor of [person, world.visitor()])
      expect((await visitor.get("/").expect(200)).text).not.toContain('href="/admin');
    const { text } = await boss.get("/admin").expect(200);
    for (const path of ["reports", "suspended", "audit", "queues"])
      expect(text).toContain(`href="/admin/${path}"`);
  });

  it("moderation pages ignore any other input", async () => {
    const before = await dump(world.ctx);
    const wrong: Record<string, string>[] = [
      {},
      { subject: "t1" },
      { subject: "t1", verb: "delete" },
      { subject: "t1", verb: "constructor" },
      { subject: "1", verb: "remove" },
      { subject: "t1", verb: "remove", nonce: "a b" },
      { subject: "t1", verb: "remove", note: "x".repeat(501) },
    ];
    for (const body of wrong) await boss.post("/admin/reports", body).expect(422);
    await boss.post("/admin/reports", { subject: "p1", verb: "remove" }).expect(403);
    for (const subject of ["t999", "p999"])
      await boss.post("/admin/reports", { subject, verb: "suspend" }).expect(404);
    await boss.post("/admin/reports", { subject: "t999", verb: "remove" }).expect(404);
    await boss.post("/admin/reports", { subject: "t999", verb: "dismiss" }).expect(303);
    for (const name of ["", "nobody", "__proto__", "a b"]) {
      const { text } = await boss.post("/admin/suspended", { name, verb: "suspend" }).expect(422);
      expect(alertsOn(text)).toEqual(["There is no user with that name."]);
    }
    const long = { name: "author", verb: "suspend", note: "x".repeat(501) };
    const { text } = await boss.post("/admin/suspended", long).expect(422);
    expect(alertsOn(text)).toEqual(["Please use at most 500 characters."]);
    expect(text).toContain("x".repeat(501));
    const staff = { name: "boss", verb: "suspend" };
    const refused = await boss.post("/admin/suspended", staff).expect(422);
    expect(refused.text).toContain("First take the role away.");
    expect(await dump(world.ctx)).toEqual(before);
  });

  it("moderation pages show each subject once with all reasons, and user text as text", async () => {
    const evil = `<script>alert("x")</script>`;
    for (const [visitor, comment] of [
      [person, evil],
      [boss, ""],
    ] as const)
      await visitor.post("/tweets/1/report", { reason: "abuse", comment }).expect(303);
    const { text } = await boss.get("/admin/reports").expect(200);
    expect(text).not.toContain(evil);
    const words = asText(text);
    expect(words.match(/A tweet, reported by 2 people/g)).toHaveLength(1);
    expect(words.match(/Abuse or harassment/g)).toHaveLength(2);
    expect(words).toContain("by author");
    expect(words).toContain("Suspend @author");
    expect(words).toContain("@bossy");
  });

  it("moderation pages do not offer to suspend an admin", async () => {
    await person.post("/@boss/report", { reason: "spam" }).expect(303);
    const { text } = await boss.get("/admin/reports").expect(200);
    expect(text).not.toMatch(/Suspend @boss/i);
    await boss.post("/admin/reports", { subject: `p${await idOf("boss")}`, verb: "dismiss" });
    expect((await boss.get("/admin/reports")).text).not.toContain(`id="p${await idOf("boss")}"`);
  });

  it("moderation pages are paged to the end: queue, log, suspended users", async () => {
    for (let nth = 1; nth <= 45; nth += 1) {
      const report = { reason: "spam" as const, comment: "", stamp: nth };
      const subject = { kind: "person" as const, person: userId(1000 + nth) };
      await keepReport(world.ctx, subject, { ...report, reporter: userId(5000 + nth) });
    }
    const cases = await readPages(boss, "/admin/reports", /<section[^>]* id="(p1\d{3})"/g);
    expect(cases.filter((id) => /^p1\d{3}$/.test(id))).toEqual(
      Array.from({ length: 45 }, (_, index) => `p${1001 + index}`),
    );
    for (let nth = 1; nth <= 45; nth += 1)
      await boss.post("/admin/reports", { subject: `p${1000 + nth}`, verb: "dismiss" }).expect(303);
    const acts = await readPages(boss, "/admin/audit", /dismissed the (reports)/g);
    expect(acts.length).toBeGreaterThanOrEqual(45);
    for (let nth = 1; nth <= 4; nth += 1) {
      await boss.post("/admin/suspended", { name: "author", verb: "suspend" }).expect(303);
      await boss.post("/admin/suspended", { name: "@Author ", verb: "reinstate" }).expect(303);
    }
    const further = await readPages(boss, "/admin/audit", /(suspended|reinstated) <a/g);
    expect(further.length).toBeGreaterThanOrEqual(8);
    expect((await readPages(boss, "/admin/audit", /class="quiet"><time/g)).length).toBe(
      await world.ctx.redis.xlen(keys.auditLog),
    );
  });

  it("reading moderation pages changes nothing", async () => {
    const before = await dump(world.ctx);
    for (const path of ["/admin", "/admin/reports", "/admin/suspended", "/admin/audit"]) {
      for (const query of [
        "",
        "?before=1",
        "?after=1",
        "?after=x&before=9007199254740991",
        "?verb=suspend&name=author",
      ])
        await boss.get(path + query).expect(200);
      await boss.agent.head(path).expect(200);
    }
    expect(await dump(world.ctx)).toEqual(before);
  });

  it("a suspension leaves the user no session, however it was opened", async () => {
    const quick = await world.newcomer("quick");
    // As if it was opened by another process at the very moment of the suspension.
    await world.ctx.redis.hset(keys.user(await idOf("quick")), "suspended_at", 1);
    await quick.get("/settings/profile").expect(303);
    await quick
      .post("/tweets", { text: "still here" })
      .expect(303)
      .expect("Location", /^\/login/);
  });

  it("a moderation form sent twice counts once", async () => {
    await person.post("/@author/report", { reason: "spam" }).expect(303);
    const { text } = await boss.get("/admin/reports").expect(200);
    const [form = ""] = text.match(/<section[^>]*id="p\d+".*?<\/section>/s) ?? [];
    const fields = { ...hiddenFields(form, "/admin/reports"), verb: "suspend", note: "spam" };
    expect(Object.keys(fields).toSorted()).toEqual(["nonce", "note", "subject", "verb"]);
    const length = await world.ctx.redis.xlen(keys.auditLog);
    const answers = await Promise.all([1, 2, 3].map(() => boss.post("/admin/reports", fields)));
    expect(answers.map((answer) => answer.status)).toEqual([303, 303, 303]);
    expect(await world.ctx.redis.xlen(keys.auditLog)).toBe(length + 1);
    await boss.post("/admin/suspended", { name: "author", verb: "reinstate" }).expect(303);
  });
});

/** What a pattern finds on all pages of a list. */
async function readPages(visitor: Visitor, path: string, pattern: RegExp): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { text } = await visitor.get(next).expect(200);
    found.push(...[...text.matchAll(pattern)].map(([whole, part]) => part ?? whole));
    next = olderOn(text);
  }
  return found;
}
