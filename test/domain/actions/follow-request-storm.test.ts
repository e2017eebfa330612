import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { block, unblock } from "../../../src/domain/actions/block.ts";
import { acceptRequest, endRequest, follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { Blocked } from "../../../src/domain/errors.ts";
import { isProtected } from "../../../src/domain/graph/follow-requests.ts";
import type { FollowEdge } from "../../../src/domain/graph/follows.ts";
import { isBlocked } from "../../../src/domain/graph/relations.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { newPeople } from "../../support/actors/people.ts";
import { runs } from "../../support/models/property-runs.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { protect, stateOf, withChores } from "./request-scene.ts";

type Verb = (ctx: Ctx, edge: FollowEdge) => Promise<void>;

const verbs = {
  follow,
  unfollow,
  accept: acceptRequest,
  decline: endRequest,
  protect: (ctx, edge) => protect(ctx, edge),
  open: (ctx, edge) => protect(ctx, edge, false),
  block: (ctx, { follower, followee }) => block(ctx, { blocker: followee, blocked: follower }),
  unblock: (ctx, { follower, followee }) => unblock(ctx, { blocker: followee, blocked: follower }),
} satisfies Record<string, Verb>;
const names = Object.keys(verbs) as (keyof typeof verbs)[];
const act = fc.record({ does: fc.constantFrom(...names), from: fc.nat(2), to: fc.nat(2) });

describe("a storm of follows, requests, answers, blocks and protection", () => {
  let world: World;
  let ctx: Ctx;
  let runJobs: () => Promise<void>;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx, runJobs } = withChores(world.ctx));
  });
  afterAll(() => world.close());

  async function run(
    people: UserId[],
    acts: { does: keyof typeof verbs; from: number; to: number }[],
  ) {
    const work = acts.map(async ({ does, from, to }) => {
      const [follower, followee] = [people[from], people[to]] as [UserId, UserId];
      if (from !== to) await verbs[does](ctx, { follower, followee });
    });
    for (const ended of await Promise.allSettled(work))
      if (ended.status === "rejected" && !(ended.reason instanceof Blocked)) throw ended.reason;
  }

  it("once the jobs ran, mirrors agree, and requests wait at protected accounts only", async () => {
    const storm = fc.array(fc.array(act, { maxLength: 6 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(storm, async (groups) => {
        const people = await newPeople(ctx, 3);
        for (const group of groups) {
          world.pass(1);
          await run(people, group);
        }
        await runJobs();
        for (const follower of people)
          for (const followee of people.filter((one) => one !== follower)) {
            const edge = { follower, followee };
            const { follow: ends, request, notices } = await stateOf(ctx, edge);
            expect(ends[0]).toBe(ends[1]);
            expect(request[0]).toBe(request[1]);
            const [follows, asks] = [ends[0] !== null, request[0] !== null];
            const mayAsk =
              (await isProtected(ctx, followee)) && !(await isBlocked(ctx, follower, followee));
            expect({ follows, asks }).not.toEqual({ follows: true, asks: true });
            expect(asks && !mayAsk).toBe(false);
            expect(follows && (await isBlocked(ctx, follower, followee))).toBe(false);
            expect(notices.length).toBeLessThanOrEqual(2);
          }
      }),
      runs(60),
    );
  });

  it("without an acceptance, nobody follows an account that was protected before", async () => {
    const others = names.filter((name) => !["accept", "open"].includes(name));
    const storm = fc.array(
      fc.record({ does: fc.constantFrom(...others), from: fc.nat(2), to: fc.nat(2) }),
      { maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(storm, async (acts) => {
        const people = await newPeople(ctx, 3);
        const edges = people.flatMap((follower) =>
          people
            .filter((followee) => followee !== follower)
            .map((followee) => ({ follower, followee })),
        );
        for (const edge of edges) await protect(ctx, edge);
        await run(people, acts);
        await runJobs();
        for (const edge of edges)
          expect(await stateOf(ctx, edge)).toMatchObject({ follow: [null, null] });
      }),
      runs(40),
    );
  });
});
