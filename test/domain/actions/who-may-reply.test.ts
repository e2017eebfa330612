import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { saveDraft } from "../../../src/domain/actions/save-draft.ts";
import { sendDraft } from "../../../src/domain/actions/send-draft.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { getDraft } from "../../../src/domain/tweets/saved-drafts.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import type { ReplyRight } from "../../../src/domain/users/choices.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

/** "posted", or what a form says beside this field. */
async function outcome(posting: Promise<unknown>, field = "form"): Promise<unknown> {
  return await posting.then(
    () => "posted",
    (error: unknown) => (error instanceof Invalid ? error.problems[field] : error),
  );
}

describe("who may reply in a conversation", () => {
  let world: World;
  let ann: UserId;
  let bob: UserId;
  let cat: UserId;
  let eve: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());
  /** Ann follows bob and cat; bob follows eve. */
  beforeEach(async () => {
    [ann, bob, cat, eve] = (await newPeople(world.ctx, 4)) as [UserId, UserId, UserId, UserId];
    for (const followee of [bob, cat]) await follow(world.ctx, { follower: ann, followee });
    await follow(world.ctx, { follower: bob, followee: eve });
  });

  const post = async (
    author: UserId,
    replyTo?: TweetId,
    repliesFrom?: ReplyRight,
    text = "hello",
  ) => await postTweet(world.ctx, author, { text, replyTo, repliesFrom });
  const answer = async (author: UserId, replyTo: TweetId) => await outcome(post(author, replyTo));
  const edit = async (author: UserId, id: TweetId, repliesFrom: ReplyRight) =>
    await editTweet(world.ctx, author, id, {
      text: "edited",
      pictures: [],
      sensitive: false,
      repliesFrom,
    });
  const nameOf = async (user: UserId) =>
    (await world.ctx.redis.hget(keys.user(user), "name")) ?? "";

  it("a limit of the first tweet holds for the whole conversation", async () => {
    const root = await post(ann, undefined, "followed");
    let last = root;
    for (const author of [bob, cat, ann, bob, cat]) {
      last = await post(author, last);
      expect(await answer(eve, last)).toBe("reply.limitedAbove");
    }
    expect(await answer(eve, root)).toBe("reply.limited");
    expect(await answer(ann, last)).toBe("posted");
  });

  it("an edit of the first tweet limits and opens the conversation that is there", async () => {
    const root = await post(ann);
    const below = await post(cat, await post(bob, root));
    expect(await answer(eve, below)).toBe("posted");
    await edit(ann, root, "mentioned");
    expect(await answer(eve, below)).toBe("reply.limitedAbove");
    await edit(ann, root, "everyone");
    expect(await answer(eve, below)).toBe("posted");
  });

  it("a limit of a reply holds below it, beside that of the first tweet", async () => {
    const root = await post(ann, undefined, "followed");
    const limited = await post(bob, root, "followed");
    // Bob follows only eve, whom ann does not follow.
    for (const one of [cat, eve]) expect(await answer(one, limited)).toMatch(/^reply\.limited/);
    const below = await post(ann, limited);
    expect(await answer(cat, below)).toBe("reply.limitedAbove");
    const open = await post(bob, await post(ann));
    const closed = await post(bob, open, "mentioned");
    const last = await post(bob, closed);
    for (const one of [ann, cat]) {
      expect(await answer(one, open)).toBe("posted");
      expect(await answer(one, last)).toBe("reply.limitedAbove");
    }
  });

  it("the author of the limit invites by naming someone further below; others do not", async () => {
    const root = await post(ann, undefined, "mentioned", `@${await nameOf(bob)} hello`);
    const named = `@${await nameOf(eve)} look`;
    const byBob = await post(bob, root, undefined, named);
    expect(await answer(eve, byBob)).toBe("reply.limitedAbove");
    const byAnn = await post(ann, byBob, undefined, named);
    expect(await answer(eve, byAnn)).toBe("posted");
  });

  it("a limit outlives its tweet", async () => {
    const root = await post(ann, undefined, "followed");
    const below = await post(bob, root);
    await deleteTweet(world.ctx, ann, root);
    expect(await answer(eve, below)).toBe("reply.limitedAbove");
    expect(await answer(cat, below)).toBe("posted");
  });

  it("all people of a message may answer it", async () => {
    const message = { text: "hello", audience: "mentioned", repliesFrom: "followed" } as const;
    const first = await postTweet(world.ctx, eve, { ...message, people: [bob, cat] });
    const second = await postTweet(world.ctx, bob, { ...message, replyTo: first });
    expect(await answer(cat, second)).toBe("posted");
  });

  it("a reply of an earlier version knows the limit of what it answers", async () => {
    const below = await post(cat, await post(bob, await post(ann)), "mentioned");
    const last = await post(bob, below);
    await world.ctx.redis.hdel(keys.tweet(last), "limits_of");
    expect(await answer(cat, last)).toBe("posted");
    expect(await answer(eve, last)).toBe("reply.limitedAbove");
  });

  it("the limits that hold for a reply are few", async () => {
    let last = await post(ann);
    for (let nth = 0; nth < 15; nth += 1) last = await post(ann, last, "followed");
    const { limitsOf = [] } = await getTweet(world.ctx, last);
    expect(limitsOf).toHaveLength(10);
    expect(await answer(eve, last)).toBe("reply.limited");
  });

  it("a scheduled answer is checked when it is kept, and a draft when it is sent", async () => {
    const root = await post(ann);
    const below = await post(bob, root);
    const draft = { text: "later", replyTo: below };
    const at = world.ctx.now() + 3_600_000;
    const { id } = await saveDraft(world.ctx, eve, draft);
    await edit(ann, root, "followed");
    expect(await outcome(saveDraft(world.ctx, eve, { ...draft, at }))).toBe("reply.limitedAbove");
    expect(await outcome(sendDraft(world.ctx, eve, id))).toBe("reply.limitedAbove");
    expect(await getDraft(world.ctx, eve, id)).toMatchObject({
      ...draft,
      problem: "reply.limitedAbove",
    });
  });
});

describe("whom a message reaches", () => {
  let world: World;
  let ann: UserId;
  let bob: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    [ann, bob] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(() => world.close());

  const send = async (text: string, more = {}) =>
    await outcome(postTweet(world.ctx, ann, { text, audience: "mentioned", ...more }), "text");

  it("a message to names that nobody has is refused, and one without a name is a note", async () => {
    const name = await world.ctx.redis.hget(keys.user(bob), "name");
    const own = await world.ctx.redis.hget(keys.user(ann), "name");
    expect(await send("@nobody_here psst")).toBe("message.nobody");
    expect(await send(`@${own} @nobody_here psst`)).toBe("message.nobody");
    for (const text of ["buy milk", `@${own} buy milk`, `@nobody_here @${name} psst`])
      expect(await send(text)).toBe("posted");
    // On the page of a conversation its people are known, whomever a text names.
    expect(await send("@nobody_here psst", { people: [bob] })).toBe("posted");
    expect(await send("@nobody_here psst", { people: [] })).toBe("posted");
    expect(await send("@nobody_here psst", { audience: "followers" })).toBe("posted");
  });

  it("a scheduled message is checked when it is kept, and a draft when it is sent", async () => {
    const draft = { text: "@nobody_here psst", audience: "mentioned" } as const;
    const at = world.ctx.now() + 3_600_000;
    expect(await outcome(saveDraft(world.ctx, ann, { ...draft, at }), "text")).toBe(
      "message.nobody",
    );
    const { id } = await saveDraft(world.ctx, ann, draft);
    expect(await outcome(sendDraft(world.ctx, ann, id), "text")).toBe("message.nobody");
    expect(await getDraft(world.ctx, ann, id)).toMatchObject(draft);
  });
});
