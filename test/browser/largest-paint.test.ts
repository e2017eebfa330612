import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { addSampleContent, type SampleContent } from "../support/world/sample-content.ts";
import { fastest, paintsBesideBare } from "./slow-phone.ts";

/** How many times as late as a bare page on the same phone the largest thing in view may be painted. */
const times = 5;
const mostShift = 0.01;

describe("on a slow phone", () => {
  let site: BrowserSite;
  let content: SampleContent;
  beforeAll(async () => {
    site = await openSite();
    content = await addSampleContent(site.world);
    const { id } = await getUserByName(site.world.ctx, "writer");
    for (let nth = 0; nth < 60; nth += 1)
      await postTweet(site.world.ctx, id, {
        text: `今日の${nth}羽目 of sparrows, seen on the roof.`,
      });
    await site.world.delivered();
  });
  afterAll(() => site.close());

  it.each([
    ["home", "viewer", "/"],
    ["the welcome page", undefined, "/"],
    ["a thread", "viewer", "/tweets/:id"],
  ] as const)(
    "on a slow phone the largest part of %s is painted soon after a bare page would be, and does not move",
    async (what, name, path) => {
      const values = { name, path: path.replace(":id", content.values["id"] ?? ""), times };
      const { paints, bare } = await paintsBesideBare(site, values);
      const told = paints.map(
        ({ largest, what: part, rate }) =>
          `${Math.round(largest)} ms (${part}, slowed ${rate.toFixed(1)} times)`,
      );
      process.stdout.write(
        `suzume: largest paint of ${what} on a slow phone: ${told.join(", ")}; a bare page ${Math.round(bare)} ms\n`,
      );
      expect(fastest(paints) / bare).toBeLessThan(times);
      for (const { shift } of paints) expect(shift).toBeLessThan(mostShift);
    },
  );
});
