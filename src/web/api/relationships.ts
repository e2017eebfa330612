import { type Request, type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { Invalid } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Act } from "../../domain/limits.ts";
import type { Entry, Page, Range } from "../../domain/page.ts";
import { block, unblock } from "../../domain/actions/block.ts";
import { follow, unfollow } from "../../domain/actions/follow.ts";
import { blocksPage } from "../../domain/graph/blocks.ts";
import { mute, unmute } from "../../domain/actions/mute.ts";
import { mutesPage } from "../../domain/graph/relations.ts";
import { readOwnPeople } from "../../domain/graph/people-lists.ts";
import type { User } from "../../domain/users/store.ts";
import { limitAct } from "../middleware/limits.ts";
import { idsIn } from "./accounts.ts";
import { requireScope } from "./bearer.ts";
import { presentRelationship, presentRelationships } from "./entities/relationship.ts";
import { count, readInput, texts } from "./input.ts";
import { accountLimits, pagingOf } from "./paging.ts";
import { anyPersonOf, personOf } from "./account-param.ts";
import { sendPeople } from "./send.ts";

const some = z.object({ id: texts });
const muting = z.object({ duration: count });

interface Verb {
  /** As what it is counted, unless it takes something away. */
  act?: Act;
  scope: Scope;
  /** Somebody who is suspended can only be let go of. */
  find: (ctx: Ctx, req: Request) => Promise<User>;
  run: (ctx: Ctx, me: UserId, other: UserId, body: unknown) => Promise<void>;
}

/** What one person does with another, and takes back. */
const verbs: Record<string, Verb> = {
  follow: {
    act: "follows",
    scope: "write:follows",
    find: personOf,
    run: (ctx, follower, followee) => follow(ctx, { follower, followee }),
  },
  unfollow: {
    scope: "write:follows",
    find: anyPersonOf,
    run: (ctx, follower, followee) => unfollow(ctx, { follower, followee }),
  },
  remove_from_followers: {
    scope: "write:follows",
    find: anyPersonOf,
    run: (ctx, followee, follower) => unfollow(ctx, { follower, followee }),
  },
  mute: {
    act: "blocks",
    scope: "write:mutes",
    find: personOf,
    run: async (ctx, muter, muted, body) => {
      const { duration = 0 } = readInput(muting, body);
      if (duration > 0) throw new Invalid({ duration: "mute.duration" });
      await mute(ctx, { muter, muted });
    },
  },
  unmute: {
    scope: "write:mutes",
    find: anyPersonOf,
    run: (ctx, muter, muted) => unmute(ctx, { muter, muted }),
  },
  block: {
    act: "blocks",
    scope: "write:blocks",
    find: personOf,
    run: (ctx, blocker, blocked) => block(ctx, { blocker, blocked }),
  },
  unblock: {
    scope: "write:blocks",
    find: anyPersonOf,
    run: (ctx, blocker, blocked) => unblock(ctx, { blocker, blocked }),
  },
};

/** How one person stands to others. */
export function relationshipsApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v1/accounts/relationships", async (req, res) => {
    const viewer = requireScope(res, "read:follows");
    res.json(await presentRelationships(ctx, viewer, idsIn(readInput(some, req.query).id)));
  });

  for (const [name, { act, scope, find, run }] of Object.entries(verbs))
    router.post(
      `/api/v1/accounts/:id/${name}`,
      limitAct(ctx, act),
      async (req: Request, res: Response) => {
        const viewer = requireScope(res, scope);
        const { id } = await find(ctx, req);
        await run(ctx, viewer.id, id, req.body);
        res.json(await presentRelationship(ctx, viewer, id));
      },
    );

  router.get("/api/v1/mutes", async (req, res) => {
    const { id } = requireScope(res, "read:mutes");
    await sendHeld(ctx, req, res, (range) => mutesPage(ctx, id, range));
  });

  router.get("/api/v1/blocks", async (req, res) => {
    const { id } = requireScope(res, "read:blocks");
    await sendHeld(ctx, req, res, (range) => blocksPage(ctx, id, range));
  });

  return router;
}

/** A list from which its owner lets people go: of those who are suspended no more is told than the name. */
async function sendHeld(
  ctx: Ctx,
  req: Request,
  res: Response,
  read: (range: Range) => Promise<Page<Entry>>,
): Promise<void> {
  const page = await readOwnPeople(ctx, pagingOf(req, accountLimits), read);
  const items = page.items.map((one) => (one.suspended ? nameOnly(one) : one));
  await sendPeople(ctx, res, { ...page, items });
}

function nameOnly(user: User): User {
  return { ...user, fullname: user.name, bio: "", website: "", avatar: "" };
}
