import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { findAccessibilityProblems } from "../support/inspect/accessibility.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";

describe("votes in a browser", () => {
  let site: BrowserSite;
  beforeAll(async () => {
    site = await openSite();
    await site.world.newcomer("asker");
    for (const name of ["voter", "reader"]) await site.world.newcomer(name);
    const { id } = await getUserByName(site.world.ctx, "asker");
    for (const several of [false, true]) {
      const poll = { choices: ["tea", "coffee"], seconds: 3600, several };
      await postTweet(site.world.ctx, id, { text: several ? "Several" : "Single", poll });
    }
  });
  afterAll(() => site.close());

  it("a vote without a choice stays on the page, which says so beside it", async () => {
    const { page, problems } = await site.openPage("voter", { reducedMotion: "reduce" });
    await page.goto("/@asker");
    const [single, several] = ["Single", "Several"].map((text) =>
      page.locator("article", { hasText: text }),
    );
    await single?.getByRole("button", { name: "Vote" }).click();
    await single?.locator("input:focus").first().waitFor();
    await several?.getByRole("button", { name: "Vote" }).click();
    const said = several?.getByRole("alert");
    await expect.poll(() => said?.innerText()).toBe("Choose one of the choices.");
    expect(await findAccessibilityProblems(page, "a vote")).toEqual([]);
    expect(new URL(page.url()).pathname).toBe("/@asker");
    await several?.getByLabel("tea").check();
    await several?.getByRole("button", { name: "Vote" }).click();
    await several?.getByText("your vote").waitFor();
    expect(await said?.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("a vote leaves the rest of the page as it is: what was loaded, what is typed, another vote to be", async () => {
    const { page } = await site.openPage("reader");
    await page.goto("/@asker");
    const [single, several] = ["Single", "Several"].map((text) =>
      page.locator("article", { hasText: text }),
    );
    await several?.getByLabel("coffee").check();
    await single?.getByLabel("tea").check();
    const marked =
      "document.querySelector('main').append(Object.assign(new Image(), { id: 'older' }))";
    await page.evaluate(marked);
    await single?.getByRole("button", { name: "Vote" }).click();
    await single?.getByText("your vote").waitFor();
    expect(await several?.getByLabel("coffee").isChecked()).toBe(true);
    expect(await page.locator("#older").count()).toBe(1);
  });
});
