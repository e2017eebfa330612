import type { Ctx } from "../../context.ts";
import { followedAmong } from "../follows/store.ts";
import type { UserId } from "../ids.ts";
import type { Page } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { isDueForCheck } from "../timelines/checks.ts";
import { homeEntries } from "../timelines/home.ts";
import { removeFromHome } from "../timelines/home-store.ts";
import {
  displaceTweets,
  globalEntries,
  removeFromGlobal,
  userEntries,
} from "../timelines/store.ts";
import type { Viewer } from "../users/relations.ts";
import { type Listed, readFeed, type View } from "./read-feed.ts";

/** The newest tweets of those whom the viewer follows, and their own. */
export async function homeFeed(ctx: Ctx, viewer: Viewer, before?: Stamp): Promise<Page<Listed>> {
  const user = viewer.id;
  return await readFeed(
    ctx,
    { viewer, before },
    {
      read: (range) => homeEntries(ctx, user, range),
      allowed: async (items) => {
        if (before === undefined && !isDueForCheck(ctx, user)) return () => true;
        const followed = await followedAmong(ctx, user, items.map(listerOf));
        return (item) => listerOf(item) === user || followed.has(listerOf(item));
      },
      heal: (ids) => removeFromHome(ctx, user, ids),
      dropsRepeats: true,
    },
  );
}

/** Who put it into their timeline. */
function listerOf({ tweet, retweet }: Listed): UserId {
  return (retweet ?? tweet).author;
}

/** What an author wrote and retweeted, without replies to others. */
export async function userFeed(ctx: Ctx, author: UserId, view: View): Promise<Page<Listed>> {
  return await readFeed(
    ctx,
    { ...view, evenMuted: author },
    {
      read: (range) => userEntries(ctx, author, range),
      heal: (ids) =>
        displaceTweets(
          ctx,
          ids.map((tweet) => ({ tweet, author })),
        ),
    },
  );
}

/** The newest tweets of everybody. */
export async function globalFeed(ctx: Ctx, view: View): Promise<Page<Listed>> {
  return await readFeed(ctx, view, {
    read: (range) => globalEntries(ctx, range),
    heal: (ids) => removeFromGlobal(ctx, ids),
  });
}
