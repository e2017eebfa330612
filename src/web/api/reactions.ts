import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { NotFound } from "../../domain/errors.ts";
import type { TweetId, UserId } from "../../domain/ids.ts";
import type { Act } from "../../domain/limits.ts";
import { bookmarkTweet, bookmarksFeed, unbookmarkTweet } from "../../domain/actions/bookmark.ts";
import { likesFeed } from "../../domain/feeds/feeds.ts";
import { likeTweet, unlikeTweet } from "../../domain/actions/like.ts";
import { pinTweet, unpinTweet } from "../../domain/actions/pin-tweet.ts";
import { retweet, unretweet } from "../../domain/actions/retweet.ts";
import { findFeedItem } from "../../domain/feeds/thread.ts";
import { findUser } from "../../domain/users/store.ts";
import { limitAct } from "../middleware/limits.ts";
import { requireScope } from "./bearer.ts";
import { pagingOf } from "./paging.ts";
import { sendReacted, sendStatus } from "./send.ts";
import { statusOf } from "./statuses.ts";

interface Reaction {
  /** As what it is counted, unless it takes something away. */
  act?: Act;
  scope: Scope;
  /** Returns the tweet to answer with, if that is another one. */
  run(ctx: Ctx, user: UserId, tweet: TweetId): Promise<TweetId | undefined | void>;
}

const reactions: Readonly<Record<string, Reaction>> = {
  favourite: { act: "reactions", scope: "write:favourites", run: likeTweet },
  unfavourite: { scope: "write:favourites", run: unlikeTweet },
  reblog: { act: "retweets", scope: "write:statuses", run: retweet },
  unreblog: { scope: "write:statuses", run: unretweet },
  bookmark: { act: "reactions", scope: "write:bookmarks", run: bookmarkTweet },
  unbookmark: { scope: "write:bookmarks", run: unbookmarkTweet },
  pin: { act: "profile", scope: "write:accounts", run: pinTweet },
  unpin: { scope: "write:accounts", run: unpinTweet },
};

/** What somebody does with a status, and their lists of what they have done. */
export function reactionsApi(ctx: Ctx): Router {
  const router = Router();

  for (const [name, { act, scope, run }] of Object.entries(reactions))
    router.post(
      `/api/v1/statuses/:id/${name}`,
      limitAct(ctx, act),
      async (req: Request, res: Response) => {
        const asking = requireScope(res, scope);
        const { tweet } = await statusOf(ctx, req, asking);
        const answered = (await run(ctx, asking.id, tweet.id)) ?? tweet.id;
        // What they have pinned stands in their record.
        const viewer = await findUser(ctx, asking.id);
        const item = await findFeedItem(ctx, viewer, answered);
        if (item === undefined) throw new NotFound("status");
        await sendStatus(ctx, res, viewer, item);
      },
    );

  router.get("/api/v1/favourites", async (req, res) => {
    const viewer = requireScope(res, "read:favourites");
    const page = await likesFeed(ctx, viewer.id, { viewer, ...pagingOf(req) });
    await sendReacted(ctx, res, page);
  });

  router.get("/api/v1/bookmarks", async (req, res) => {
    const viewer = requireScope(res, "read:bookmarks");
    const page = await bookmarksFeed(ctx, viewer.id, { viewer, ...pagingOf(req) });
    await sendReacted(ctx, res, page);
  });

  return router;
}
