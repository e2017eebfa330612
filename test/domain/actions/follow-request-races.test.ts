import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { block } from "../../../src/domain/actions/block.ts";
import { acceptRequest, endRequest, follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { type FollowEdge, isFollowing } from "../../../src/domain/graph/follows.ts";
import type { Stamp } from "../../../src/domain/ids.ts";
import {
  Ended,
  endingAfter,
  freshProcess,
  pausingAfter,
  untilEnded,
} from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import {
  asking,
  followed,
  newEdge,
  protect,
  stateOf,
  stranger,
  withChores,
} from "./request-scene.ts";

const blocks = (on: Ctx, { follower, followee }: FollowEdge) =>
  block(on, { blocker: followee, blocked: follower });
const blocksBack = (on: Ctx, { follower, followee }: FollowEdge) =>
  block(on, { blocker: follower, blocked: followee });
const opens = (on: Ctx, edge: FollowEdge) => protect(on, edge, false);

describe("requests to follow at the same moment as something else", () => {
  let world: World;
  let ctx: Ctx;
  let runJobs: () => Promise<void>;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx, runJobs } = withChores(world.ctx));
  });
  afterAll(() => world.close());

  /**
   * Runs `verb` on new users again and again, interrupted by `other` after each number of its commands, until it is done
   * before; then the jobs. Tells each time what has become of it.
   */
  async function* interrupted(
    verb: (ctx: Ctx, edge: FollowEdge) => Promise<void>,
    other: (ctx: Ctx, edge: FollowEdge) => Promise<void>,
    { isProtected = true, isAsked = false, dies = false } = {},
  ) {
    for (let commands = 0, isPaused = true; isPaused; commands += 1) {
      const edge = await newEdge(ctx);
      if (isProtected) await protect(ctx, edge);
      if (isAsked) await follow(ctx, edge);
      await runJobs();
      isPaused = false;
      let before: Stamp | undefined;
      const process = dies ? endingAfter(ctx, commands + 2) : ctx;
      const pausing = pausingAfter(process, commands, async () => {
        isPaused = true;
        before = await isFollowing(freshProcess(world.ctx), edge);
        await other(ctx, edge);
      });
      await untilEnded(verb(pausing, edge));
      const atOnce = await isFollowing(freshProcess(world.ctx), edge);
      await runJobs();
      if (isPaused) yield { before, atOnce, ...(await stateOf(ctx, edge)) };
    }
  }

  it("wherever protection interrupts a follow, no follow is written after it", async () => {
    const open = { isProtected: false };
    for await (const { before, follow: sides, request } of interrupted(follow, protect, open)) {
      expect(sides[0]).toBe(sides[1]);
      expect(request[0]).toBe(request[1]);
      // What was written before may count either way.
      expect(sides[0] === null).toBe(request[0] !== null);
      expect([before === undefined, sides[0] !== null]).not.toEqual([true, true]);
    }
  });

  it("a follow whose process dies as the account becomes protected does not stand", async () => {
    const open = { isProtected: false, dies: true };
    for await (const { before, follow: sides, request } of interrupted(follow, protect, open)) {
      expect(sides[0]).toBe(sides[1]);
      expect(request[0]).toBe(request[1]);
      expect([before === undefined, sides[0] !== null]).not.toEqual([true, true]);
    }
  });

  const verbs = { follow, acceptRequest, endRequest };
  const outcomes = { follow: asking, acceptRequest: followed, endRequest: stranger };
  it.each(["follow", "acceptRequest", "endRequest"] as const)(
    "wherever a process dies, both ends agree once the jobs ran: %s of a protected account",
    async (name) => {
      for (let commands = 0, isEnded = true; isEnded; commands += 1) {
        const edge = await newEdge(ctx);
        await protect(ctx, edge);
        if (name !== "follow") await follow(ctx, edge);
        await runJobs();
        isEnded = await verbs[name](endingAfter(ctx, commands), edge).then(
          () => false,
          (error: unknown) => {
            if (error instanceof Ended) return true;
            throw error;
          },
        );
        await runJobs();
        expect([stranger, asking, followed]).toContainEqual(await stateOf(ctx, edge));
        await verbs[name](ctx, edge);
        expect(await stateOf(ctx, edge)).toEqual(outcomes[name]);
      }
    },
  );

  it.each([
    ["a block by the asked user", blocks],
    ["a block by the requester", blocksBack],
    ["a withdrawal", unfollow],
  ] as const)("wherever %s interrupts an acceptance, there is no follow", async (_, end) => {
    const asked = { isAsked: true };
    for await (const { atOnce, ...state } of interrupted(acceptRequest, end, asked)) {
      expect(atOnce).toBeUndefined();
      expect(state).toMatchObject(stranger);
    }
  });

  it("wherever an acceptance interrupts a block, there is no follow", async () => {
    const asked = { isAsked: true };
    for await (const state of interrupted(blocks, acceptRequest, asked))
      expect(state).toMatchObject(stranger);
  });

  it("wherever the end of protection interrupts a request, the requester follows in the end", async () => {
    for await (const state of interrupted(follow, opens)) expect(state).toMatchObject(followed);
  });
});
