import { fileURLToPath } from "node:url";
import { LRUCache } from "lru-cache";
import { compileFile, type compileTemplate } from "pug";
import type { Ctx } from "../../context.ts";
import type { Tweet } from "../../domain/tweets/store.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { ageOf } from "./time.ts";
import { viewTweet } from "./tweets.ts";

const file = fileURLToPath(new URL("../../../views/tweets/item.pug", import.meta.url));

/** Bytes of finished HTML that one process keeps. */
const keptBytes = 16_000_000;

/** A tweet as it stands in lists, and all that it was made of but the tweet, which never changes. */
interface Piece {
  html: Buffer;
  author: User;
  age: number;
}

let template: compileTemplate | undefined;
const memories = new WeakMap<Ctx, LRUCache<string, Piece>>();

/**
 * The list items of a timeline, escaped and ready for renderTimeline; those whose author is gone are
 * left out. Tweets look alike to most people who read them, so each is rendered once and kept until
 * its author's profile or its age reads otherwise.
 */
export async function presentTimeline(
  ctx: Ctx,
  viewer: User | undefined,
  tweets: Tweet[],
): Promise<Buffer[]> {
  const authors = await findUsers(
    ctx,
    tweets.map((tweet) => tweet.author),
  );
  const now = ctx.now();
  const pieces = piecesOf(ctx);
  const items: Buffer[] = [];
  for (const tweet of tweets) {
    const author = authors.get(tweet.author);
    if (author === undefined) continue;
    // Authors see a menu on their own.
    const key = viewer?.id === tweet.author ? `${tweet.id} own` : tweet.id;
    const known = pieces.get(key);
    if (known?.author === author && known.age === ageOf(tweet.createdAt, now))
      items.push(known.html);
    else items.push(remember(pieces, key, tweet, { author, viewer, now }));
  }
  return items;
}

function remember(
  pieces: LRUCache<string, Piece>,
  key: string,
  tweet: Tweet,
  seen: { author: User; viewer: User | undefined; now: number },
): Buffer {
  template ??= compileFile(file);
  const html = Buffer.from(template({ tweet: viewTweet(tweet, seen) }));
  pieces.set(key, { html, author: seen.author, age: ageOf(tweet.createdAt, seen.now) });
  return html;
}

function piecesOf(ctx: Ctx): LRUCache<string, Piece> {
  // Under npm run dev nothing is kept, so that a change of the template shows.
  if (ctx.config.reloadViews) template = undefined;
  const known = ctx.config.reloadViews ? undefined : memories.get(ctx);
  const pieces =
    known ?? new LRUCache({ maxSize: keptBytes, sizeCalculation: ({ html }) => html.length });
  memories.set(ctx, pieces);
  return pieces;
}
