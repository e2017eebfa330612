import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTwoProcesses, type TwoProcesses } from "../support/world/two-processes.ts";
import type { Visitor } from "../support/actors/visitor.ts";

const page = async (visitor: Visitor, path: string) => (await visitor.get(path).expect(200)).text;
const texts = async (visitor: Visitor, path: string) =>
  (await visitor.see(path)).map((tweet) => tweet.text);

describe("two web processes on one database", () => {
  let both: TwoProcesses;
  beforeAll(async () => {
    both = await createTwoProcesses();
  });
  afterAll(() => both.close("well"));

  it("in two processes a like is visible to its user at once, and its count to others soon", async () => {
    const author = await both.newcomer("liked");
    const liker = await both.newcomer("liker");
    const reader = await both.newcomer("counter");
    await author.here.tweet("likeable");
    const [tweet] = await author.here.see("/@liked");
    const path = `/tweets/${tweet?.id}`;
    const readers = [reader.here, reader.there, liker.here, liker.there];
    for (const verb of ["like", "unlike", "retweet", "unretweet", "like"]) {
      for (const visitor of readers) for (const at of ["/@liked", path]) await page(visitor, at);
      await liker.here.post(`${path}/${verb}`).expect(303);
      const [undo] = verb.endsWith("like") ? ["unlike"] : ["unretweet"];
      for (const visitor of [liker.there, liker.here, liker.there])
        for (const at of ["/@liked", path])
          expect((await page(visitor, at)).includes(`${path}/${undo}"`)).toBe(
            !verb.startsWith("un"),
          );
      for (const visitor of [reader.here, reader.there])
        expect(await page(visitor, path)).not.toContain(`${path}/${undo}"`);
      const list = verb.endsWith("like") ? "likes" : "retweets";
      const counted = async () =>
        (await page(reader.there, path)).includes(`${path}/${list}"`) === !verb.startsWith("un");
      await expect.poll(counted, { timeout: 5000 }).toBe(true);
    }
  });

  it("in two processes a deleted tweet's retweets and quotes disappear everywhere", async () => {
    const author = await both.newcomer("regretful");
    const fan = await both.newcomer("fan");
    const reader = await both.newcomer("reader2");
    await reader.here.follow("fan");
    await author.here.tweet("a secret");
    const [tweet] = await author.here.see("/@regretful");
    await fan.there.post(`/tweets/${tweet?.id}/retweet`).expect(303);
    const text = `Look: http://here.test/tweets/${tweet?.id}`;
    await fan.there.post("/tweets", { text }).set("Host", "here.test").expect(303);
    await fan.here.post(`/tweets/${tweet?.id}/like`).expect(303);
    await both.world.delivered();
    const lists = ["/", "/@fan", "/@fan/likes", "/@fan/replies"];
    const readers = [reader.here, reader.there, fan.here, fan.there];
    for (const visitor of readers)
      for (const path of lists) expect(await page(visitor, path)).toContain("a secret");
    expect(await page(reader.there, "/@fan")).toContain("<blockquote");
    // A retweet by another user is taken back everywhere at once, too.
    const other = await both.newcomer("other");
    await other.here.follow("fan");
    const retweeted = async () => (await page(other.there, "/")).includes("tweet-context");
    expect(await retweeted()).toBe(true);
    await fan.here.post(`/tweets/${tweet?.id}/unretweet`).expect(303);
    expect(await retweeted()).toBe(false);
    await fan.here.post(`/tweets/${tweet?.id}/retweet`).expect(303);
    await both.world.delivered();
    expect(await retweeted()).toBe(true);

    await author.here.post(`/tweets/${tweet?.id}/delete`).expect(303);
    for (const visitor of [reader.there, reader.here, fan.there, fan.here])
      for (const path of lists) {
        const shown = await page(visitor, path);
        expect(shown).not.toContain("a secret");
        expect(shown).not.toContain("<blockquote");
      }
    expect(await page(reader.there, "/@fan")).toContain("Look:");
  });

  it("in two processes a reply disappears for a user who unfollowed its author in the other", async () => {
    const asker = await both.newcomer("asker");
    const helper = await both.newcomer("helper");
    const reader = await both.newcomer("reader3");
    for (const name of ["asker", "helper"]) await reader.here.follow(name);
    await asker.here.tweet("which way?");
    const [tweet] = await asker.here.see("/@asker");
    await helper.there.post("/tweets", { text: "that way", reply_to: tweet?.id ?? "" }).expect(303);
    await both.world.delivered();
    for (const visitor of [reader.here, reader.there])
      expect(await texts(visitor, "/")).toEqual(["that way", "which way?"]);
    await reader.here.unfollow("asker");
    for (const visitor of [reader.there, reader.here])
      expect(await texts(visitor, "/")).toEqual([]);
    await reader.there.follow("asker");
    for (const visitor of [reader.here, reader.there])
      expect(await texts(visitor, "/")).toEqual(["that way", "which way?"]);
  });
});
