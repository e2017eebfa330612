import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Visitor } from "../support/actors/visitor.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

const phone = { viewport: { width: 360, height: 780 } };

describe("a protected account in a browser", () => {
  let site: BrowserSite;
  let mum: Visitor;
  beforeAll(async () => {
    site = await openSite();
    mum = await site.world.newcomer("mum");
    await mum.tweet("Supper at seven");
    for (const name of ["dad", "stranger"]) await site.world.newcomer(name);
  });
  afterAll(() => site.close());

  for (const javaScriptEnabled of [true, false])
    it(
      `an account is protected, asked and answered, ${javaScriptEnabled ? "with" : "without"} JavaScript`,
      { timeout: 60_000 },
      async () => {
        const hers = await site.openPage("mum", { ...phone, javaScriptEnabled });
        const his = await site.openPage("dad", { ...phone, javaScriptEnabled });
        await hers.page.goto("/settings/privacy");
        await hers.page.getByLabel("Protect my account").check();
        await hers.page.getByRole("button", { name: "Save" }).click();
        await hers.page.getByRole("status").waitFor();

        await his.page.goto("/@mum");
        expect(await his.page.getByText("Supper at seven").count()).toBe(0);
        await his.page.getByRole("button", { name: "Ask to follow" }).click();
        await his.page.getByRole("button", { name: "Requested" }).waitFor();
        await his.page.getByText("You have asked to follow @mum.").waitFor();

        await hers.page.goto("/notifications");
        await hers.page.getByRole("link", { name: "Accept or decline" }).click();
        await hers.page.getByRole("button", { name: "Accept @dad" }).click();
        await hers.page.getByText("Nobody is waiting for an answer.").waitFor();

        await his.page.reload();
        await his.page.getByText("Supper at seven").waitFor();
        // Removed while the page is open: its next look is a stranger's.
        await mum.post("/@dad/remove-follower").expect(303);
        await his.page.reload();
        await his.page.getByText("@mum protects their tweets").waitFor();
        expect(await his.page.getByText("Supper at seven").count()).toBe(0);
        expect([...hers.problems, ...his.problems]).toEqual([]);
        await hers.close();
        await his.close();
      },
    );

  it("the button in a list of people shows what a press has done", async () => {
    const { page, problems, close } = await site.openPage("stranger");
    await page.goto("/search?q=mum&people=1");
    const person = page.locator(".person", { hasText: "@mum" }).first();
    await person.getByText("Protected").waitFor();
    await person.getByRole("button").click();
    await person.getByRole("button", { name: "Requested" }).waitFor();
    await person.getByRole("button").click();
    await person.getByRole("button", { name: "Ask to follow" }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });
});
