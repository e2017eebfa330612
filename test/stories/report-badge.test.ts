import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Visitor } from "../support/actors/visitor.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const badgeOn = (html: string) =>
  /class="account-badge"[^>]*aria-label="([^"]*)"/.exec(html)?.[1] ?? "";

const home = async (visitor?: Visitor) => (await visitor?.get("/").expect(200))?.text ?? "";

describe("a report, from filing to the moderator's badge and back", () => {
  let world: World;
  let webhook: Server;
  const heard: string[] = [];
  let [boss, mod, author, reader]: Visitor[] = [];
  beforeAll(async () => {
    webhook = createServer((req, res) => {
      let body = "";
      req.on("data", (chunk) => (body += String(chunk)));
      req.on("end", () => {
        heard.push((JSON.parse(body) as { text: string }).text);
        res.end("ok");
      });
    });
    await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
    const { port } = webhook.address() as AddressInfo;
    const reportWebhookUrl = `http://127.0.0.1:${port}/`;
    world = await createWorld({ admins: ["boss"], reportWebhookUrl });
    boss = await world.newcomer("boss");
    mod = await world.newcomer("judy");
    author = await world.newcomer("author");
    reader = await world.newcomer("reader");
  });
  afterAll(async () => {
    webhook.close();
    await closeChecked(world);
  });

  it("a report from filing to the moderator's badge, the webhook, the decision and back", async () => {
    await boss?.post("/admin/people/judy", { role: "moderator" }).expect(303);
    await author?.tweet("buy my beans");
    // Warm pages, without a badge.
    for (const visitor of [mod, boss]) expect(badgeOn(await home(visitor))).toBe("");

    const [, id = ""] = /id="tweet-(\d+)"/.exec(await home(author)) ?? [];
    const report = { reason: "spam", comment: "He sells beans to secret people." };
    await reader?.post(`/tweets/${id}/report`, report).expect(303);
    for (const visitor of [mod, boss])
      expect(badgeOn(await home(visitor))).toBe("Moderation, 1 waiting for a decision");
    for (const visitor of [author, reader])
      expect(await home(visitor)).not.toContain('badge" role');
    await vi.waitUntil(() => heard.length > 0, 10_000);
    expect(heard[0]).toContain("a tweet was reported (spam)");
    expect(heard[0]).toContain("/admin/reports");
    expect(heard[0]).not.toMatch(/beans|author|reader/);

    // Another report of the same tweet: no second message, one case.
    await boss?.post(`/tweets/${id}/report`, { reason: "abuse" }).expect(303);
    expect(badgeOn(await home(mod))).toContain("1 waiting");

    const { text = "" } = (await mod?.get("/admin/reports").expect(200)) ?? {};
    expect(text).toContain("He sells beans");
    const decision = { ...hiddenFields(text, "/admin/reports"), verb: "remove", note: "ads" };
    await mod?.post("/admin/reports", decision).expect(303);
    for (const visitor of [mod, boss]) expect(badgeOn(await home(visitor))).toBe("");
    expect(await home(author)).not.toContain("buy my beans");
    const log = (await boss?.get("/admin/audit").expect(200))?.text.replaceAll(/<[^>]*>/g, "");
    expect(log).toContain("@judy removed");

    // Another subject: another message.
    await reader?.post("/@author/report", { reason: "other" }).expect(303);
    await vi.waitUntil(() => heard.length > 1, 10_000);
    expect(heard[1]).toContain("an account was reported (other)");
    expect(heard).toHaveLength(2);
    expect(badgeOn(await home(mod))).toContain("1 waiting");

    // The badge goes with the role, in the session that is open.
    await boss?.post("/admin/people/judy", { role: "member" }).expect(303);
    expect(badgeOn(await home(mod))).toBe("");
    const open = (await boss?.get("/admin/reports").expect(200))?.text ?? "";
    const fields = hiddenFields(open, "/admin/reports");
    await boss?.post("/admin/reports", { ...fields, verb: "dismiss" }).expect(303);
    expect(badgeOn(await home(boss))).toBe("");
  });
});
