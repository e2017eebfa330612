import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserSite, openSite } from "../support/browser-site.ts";
import { sendForm } from "../support/hostile-forms.ts";
import type { Visitor } from "../support/visitor.ts";
import type { Window } from "../support/window.ts";
import { payloads } from "../support/xss.ts";

describe("what people type", () => {
  let site: BrowserSite;
  let victim: Visitor;
  let window: Window;
  beforeAll(async () => {
    site = await openSite({ admins: ["attacker"] });
    await site.world.newcomer("attacker");
    await site.world.newcomer("spare");
    victim = await site.world.newcomer("victim");
    await victim.tweet("Say something");
    window = await site.window("attacker");
  });
  afterAll(() => site.close());

  it("is drawn as text where a form is given back, and where it is searched for", async () => {
    const stranger = await site.window();
    for (const payload of payloads) {
      await stranger.page.goto(`/signup?next=${encodeURIComponent(payload)}`);
      await sendForm(stranger.page, "/signup", { name: payload, fullname: payload });
      await expectPeace(stranger.page);
      await window.page.goto(`/search?q=${encodeURIComponent(payload)}`);
      await expectPeace(window.page);
    }
    expect([...stranger.troubles, ...window.troubles]).toEqual([]);
  });

  it("is drawn as text in names, bios, websites and muted words", async () => {
    const { page, troubles } = window;
    for (const payload of payloads) {
      await page.goto("/settings/profile");
      const rest = { fullname: payload.slice(0, 50), bio: payload.slice(0, 160) };
      await sendForm(page, "/settings/profile", { ...rest, website: payload });
      await expectPeace(page);
      await page.goto("/settings/profile");
      await sendForm(page, "/settings/profile", { ...rest, website: "" });
      await page.goto("/@attacker");
      await expectPeace(page);
      await page.goto("/settings/muted");
      await sendForm(page, "/settings/muted", { word: payload.slice(0, 50) });
      await expectPeace(page);
    }
    expect(troubles).toEqual([]);
  });

  it("is drawn as text in tweets and replies, wherever they are listed", async () => {
    const { page, troubles } = window;
    const [tweet] = await victim.see("/@victim");
    for (const payload of payloads) {
      await page.goto("/");
      await sendForm(page, "/tweets", { text: payload });
      await page.goto(`/tweets/${tweet?.id}`);
      await sendForm(page, "/tweets", { text: `@victim ${payload}` });
      await expectPeace(page);
    }
    await site.world.delivered();
    const reader = await site.window("victim");
    const lists = ["/", "/explore", "/@attacker", "/@attacker/replies", "/notifications"];
    for (const path of [...lists, `/tweets/${tweet?.id}`, "/search?q=script"]) {
      await reader.page.goto(path);
      await expectPeace(reader.page);
    }
    expect([...troubles, ...reader.troubles]).toEqual([]);
  });

  it("is drawn as text in reports and in the notes of admins", async () => {
    const { page, troubles } = window;
    const admin = site.world.visitor();
    await admin.logIn("attacker");
    const tweets = await victim.readAll("/@attacker/replies");
    for (const [nth, payload] of payloads.entries()) {
      await victim.post(`/tweets/${tweets[nth]?.id}/report`, { reason: "other", comment: payload });
      const verb = nth % 2 === 0 ? "suspend" : "reinstate";
      await admin.post("/admin/suspended", { name: "spare", verb, note: payload }).expect(303);
      await page.goto("/@victim/report");
      await sendForm(page, "/@victim/report", { comment: payload });
      await expectPeace(page);
      await page.goto("/admin/suspended");
      await sendForm(page, "/admin/suspended", { name: payload, note: payload });
      await expectPeace(page);
    }
    for (const path of ["/admin", "/admin/reports", "/admin/suspended", "/admin/audit"]) {
      await page.goto(path);
      await expectPeace(page);
    }
    expect(troubles).toEqual([]);
  });
});

/** Nothing ran, and no element or attribute stands there that no template wrote. */
async function expectPeace(page: Page): Promise<void> {
  const seen = await page.evaluate(`({
    ran: typeof window.__xss,
    scripts: [...document.scripts].filter((one) => !/^.assets.|^.js./.test(new URL(one.src).pathname)).length,
    foreign: document.querySelectorAll(
      "iframe, object, embed, base, style, math, video, svg animate, svg script, turbo-frame[src], " +
      "[onerror], [onload], [onfocus], [onclick], [onmouseover], [ontoggle], [onbegin], [onblur], " +
      "a[href^='javascript:' i], a[href^='data:' i]",
    ).length,
  })`);
  expect(seen, page.url()).toEqual({ ran: "undefined", scripts: 0, foreign: 0 });
}
