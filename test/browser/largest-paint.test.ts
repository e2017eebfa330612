import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { addSampleContent, type SampleContent } from "../support/world/sample-content.ts";
import { type Paint, visit } from "./slow-phone.ts";

/** Milliseconds until the largest thing in view is painted, on a first visit, with nothing kept. */
const limit = 1000;
/** Machines that run tests do other things meanwhile: the best of a few tells what the page needs. */
const tries = 4;
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
    "on a slow phone the largest part of %s is painted within a second and does not move",
    async (what, name, path) => {
      const paints: Paint[] = [];
      for (let nth = 0; nth < tries && !paints.some(({ largest }) => largest < limit); nth += 1)
        paints.push(await visit(site, name, path.replace(":id", content.values["id"] ?? "")));
      const best = Math.min(...paints.map(({ largest }) => largest));
      const told = paints
        .map(
          (one) =>
            `${Math.round(one.largest)} ms (${one.what}, slowed ${one.rate.toFixed(1)} times)`,
        )
        .join(", ");
      process.stdout.write(`suzume: largest paint of ${what} on a slow phone: ${told}\n`);
      expect(best).toBeLessThan(limit);
      for (const { shift } of paints) expect(shift).toBeLessThan(mostShift);
    },
  );
});
