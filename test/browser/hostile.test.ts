import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { sendForm } from "./send-form.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import type { WatchedPage } from "../support/actors/watched-page.ts";
import { payloads } from "./xss-payloads.ts";

describe("hostile input in a browser", () => {
  let site: BrowserSite;
  let victim: Visitor;
  let watched: WatchedPage;
  beforeAll(async () => {
    site = await openSite({ admins: ["attacker"] });
    await site.world.newcomer("attacker");
    await site.world.newcomer("spare");
    victim = await site.world.newcomer("victim");
    await victim.tweet("Say something");
    watched = await site.openPage("attacker");
  });
  afterAll(() => site.close());

  it("hostile input appears as text in refused forms and on the search page", async () => {
    const stranger = await site.openPage();
    await stranger.page.goto("/signup?next=/");
    for (const payload of payloads) {
      const typed = { name: payload, fullname: payload, next: `/${payload}` };
      await sendForm(stranger.page, "/signup", typed);
      await expectPeace(stranger.page);
    }
    for (let nth = 0; nth < payloads.length; nth += 3) {
      const query = payloads.slice(nth, nth + 3).join(" ");
      await watched.page.goto(`/search?q=${encodeURIComponent(query)}`);
      await expectPeace(watched.page);
    }
    expect([...stranger.problems, ...watched.problems]).toEqual([]);
  });

  it("hostile input appears as text in refused settings and in muted words", async () => {
    const { page, problems } = watched;
    const muter = site.world.visitor();
    await muter.logIn("attacker");
    await page.goto("/settings/profile");
    for (const payload of payloads) {
      const website = `no address ${payload}`;
      await sendForm(page, "/settings/profile", { fullname: payload, bio: payload, website });
      await expectPeace(page);
      await muter.post("/settings/muted", { word: payload.slice(0, 50), duration: "week" });
    }
    await page.goto("/settings/muted");
    await expectPeace(page);
    expect(problems).toEqual([]);
  });

  it("hostile input appears as text in names, bios, websites, tweets and replies on every page", async () => {
    const { page, problems } = await site.openPage("victim");
    const [tweet] = await victim.see("/@victim");
    for (const [nth, payload] of payloads.entries()) {
      const person = await site.world.newcomer(`person_${nth}`);
      const about = { fullname: payload.slice(0, 50), bio: payload.slice(0, 160) };
      await person.post("/settings/profile", about).expect(303);
      await person.post("/settings/profile", { ...about, website: payload });
      await victim.follow(`person_${nth}`);
      await person.follow("victim");
      await person.tweet(payload);
      const reply = { text: `@victim ${payload}`, reply_to: tweet?.id ?? "" };
      await person.post("/tweets", reply).expect(303);
      await page.goto(`/@person_${nth}/replies`);
      await expectPeace(page);
    }
    await site.world.delivered();
    const lists = ["/", "/explore", "/@victim/followers", "/notifications", "/search?q=script"];
    for (const path of [...lists, `/tweets/${tweet?.id}`, "/search?q=p&people=1"]) {
      await page.goto(path);
      await expectPeace(page);
    }
    expect(problems).toEqual([]);
  });

  it("hostile input appears as text in reports and in notes of admins", async () => {
    const { page, problems } = watched;
    const admin = site.world.visitor();
    await admin.logIn("attacker");
    // One page shows twenty cases: sixteen, with three reports each.
    const reporters = [victim];
    for (const name of ["second", "third"]) reporters.push(await site.world.newcomer(name));
    const author = await site.world.newcomer("author");
    for (let nth = 0; nth < payloads.length; nth += 3) await author.tweet(`tweet ${nth}`);
    const tweets = await victim.readAll("/@author");
    const report = await site.openPage("attacker");
    await report.page.goto("/@victim/report");
    await page.goto("/admin/suspended");
    for (const [nth, payload] of payloads.entries()) {
      const about = { reason: "other", comment: payload };
      const path = `/tweets/${tweets[Math.floor(nth / 3)]?.id}/report`;
      await reporters[nth % 3]?.post(path, about).expect(303);
      const verb = nth % 2 === 0 ? "suspend" : "reinstate";
      await admin.post("/admin/suspended", { name: "spare", verb, note: payload }).expect(303);
      await sendForm(report.page, "/@victim/report", { comment: payload });
      await expectPeace(report.page);
      await sendForm(page, "/admin/suspended", { name: payload, note: payload });
      await expectPeace(page);
    }
    expect(report.problems).toEqual([]);
    for (const path of ["/admin", "/admin/reports", "/admin/suspended", "/admin/audit"]) {
      await page.goto(path);
      await expectPeace(page);
    }
    expect(problems).toEqual([]);
  });
});

/** Nothing ran, and no element or attribute stands there that no template wrote. */
async function expectPeace(page: Page): Promise<void> {
  const seen = await page.evaluate<object>(`({
    ran: typeof window.__xss,
    scripts: [...document.scripts].filter((one) => !/^.assets.|^.js./.test(new URL(one.src || "about:none").pathname)).length,
    foreign: document.querySelectorAll(
      "iframe, object, embed, base, style, math, video, svg animate, svg script, turbo-frame[src], " +
      "[onerror], [onload], [onfocus], [onclick], [onmouseover], [ontoggle], [onbegin], [onblur], " +
      "a[href^='javascript:' i], a[href^='data:' i]",
    ).length,
  })`);
  const peace = { ran: "undefined", scripts: 0, foreign: 0 };
  expect({ at: page.url(), ...seen }).toEqual({ at: page.url(), ...peace });
}
