import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findOldTweets } from "../../src/domain/accounts/self-deletion.ts";
import { bookmarkTweet } from "../../src/domain/actions/bookmark.ts";
import { likeTweet } from "../../src/domain/actions/like.ts";
import { pinTweet } from "../../src/domain/actions/pin-tweet.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { tweetId, type UserId } from "../../src/domain/ids.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const path = "/settings/old-tweets";
const day = 24 * 60 * 60 * 1000;

describe("tweets that delete themselves", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  /** A user with an old tweet that is pinned, one that is bookmarked, one that is liked, one more, and a new one. */
  async function newAuthor(name: string, language?: "ja") {
    const visitor = await world.newcomer(name, language);
    const { id } = await getUserByName(world.ctx, name);
    const then = { ...world.ctx, now: () => world.ctx.now() - 40 * day };
    const say = (text: string) => postTweet(then, id, { text });
    await pinTweet(world.ctx, id, await say("old and pinned"));
    await bookmarkTweet(world.ctx, id, await say("old and bookmarked"));
    await likeTweet(world.ctx, id, await say("old and liked"));
    await say("old");
    await postTweet(then, id, { text: "an old note", audience: "mentioned" });
    await postTweet(world.ctx, id, { text: "new" });
    return { visitor, id };
  }

  async function textsOf(user: UserId): Promise<string[]> {
    const lists = [keys.userTimeline(user), keys.sentMessages(user)];
    const ids = await Promise.all(lists.map((list) => world.ctx.redis.zrange(list, 0, "-1")));
    const texts = ids.flat().map((id) => world.ctx.redis.hget(keys.tweet(tweetId(id)), "text"));
    return (await Promise.all(texts)).map((text) => text ?? "").toSorted();
  }

  async function save(visitor: Visitor, choice: Record<string, string | string[]>) {
    await visitor.agent.post(path).type("form").send(choice).expect(303);
    await finishJobs(world);
  }

  it("a user sees what would go, and then it goes, but not what the user keeps", async () => {
    const { visitor, id } = await newAuthor("ann");
    expect((await visitor.get(path).expect(200)).text).toContain("Never: they stay");
    const asked = await visitor.get(`${path}?days=30&keeps=pinned&keeps=liked`).expect(200);
    expect(asked.text).toContain("3 tweets would go now.");
    expect(await textsOf(id)).toHaveLength(6);
    await save(visitor, { days: "30", keeps: ["pinned", "liked"] });
    expect(await textsOf(id)).toEqual(["new", "old and liked", "old and pinned"]);
    expect((await visitor.get(path).expect(200)).text).toMatch(/<option value="30" selected/);
  });

  it("a user who changes the mind keeps the tweets", async () => {
    const { visitor, id } = await newAuthor("bea");
    await visitor.post(path, { days: "30" }).expect(303);
    const { headers } = await visitor.post(path, { days: "" }).expect(303);
    const saved = await visitor.get(String(headers["location"])).expect(200);
    expect(saved.text).toContain("Your choices are saved.");
    expect(saved.text).not.toContain("now go");
    await finishJobs(world);
    expect(await textsOf(id)).toHaveLength(6);
  });

  it("the page speaks the language of its user", async () => {
    const { visitor } = await newAuthor("haru", "ja");
    const asked = await visitor.get(`${path}?days=30`).expect(200);
    expect(asked.text).toContain("今削除されるツイートは5件です。");
  });

  it("a session that was left open deletes nothing without a proof, which keeps every choice", async () => {
    const { visitor, id } = await newAuthor("eve");
    world.pass(11 * 60_000);
    const choice = { days: "30", keeps: ["pinned", "liked"] };
    const { text } = await visitor.agent.post(path).type("form").send(choice).expect(403);
    await finishJobs(world);
    expect(await textsOf(id)).toHaveLength(6);
    const kept = [...text.matchAll(/name="(days|keeps)" value="(\w+)"/g)].map(([, , one]) => one);
    expect(kept.slice(0, 3)).toEqual(["30", "pinned", "liked"]);
    await save(visitor, { ...choice, confirm_password: password });
    expect(await textsOf(id)).toEqual(["new", "old and liked", "old and pinned"]);
    world.pass(11 * 60_000);
    await visitor.post(path, { days: "" }).expect(303);
  });

  it("an age that is not offered is refused", async () => {
    const visitor = await world.newcomer("cid");
    await visitor.post(path, { days: "1" }).expect(422);
    await visitor.get(`${path}?days=1`).expect(422);
  });

  it("a host bounds the age of all tweets, but for those that their authors keep", async () => {
    const { id } = await newAuthor("dan");
    world.ctx.config.tweetDays = 30;
    await findOldTweets(world.ctx, () => {});
    await finishJobs(world);
    expect(await textsOf(id)).toEqual([
      "new",
      "old and bookmarked",
      "old and liked",
      "old and pinned",
    ]);
    world.ctx.config.tweetDays = 0;
  });
});
