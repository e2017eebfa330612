import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import type { Page } from "../../domain/page.ts";
import type { Tweet } from "../../domain/tweets/store.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { type NameView, presentName } from "./people.ts";
import { presentText, type TextPart } from "./text.ts";
import { presentTime, type TimeView } from "./time.ts";

export interface TweetView extends TimeView {
  id: string;
  url: string;
  author: NameView;
  parts: TextPart[];
  /** On one's own tweets only. */
  deleteUrl: string | undefined;
  nextAfterDelete: string;
}

/** Throws NotFound if the author is gone. */
export async function presentTweet(
  ctx: Ctx,
  viewer: User | undefined,
  tweet: Tweet,
): Promise<TweetView> {
  const authors = await findUsers(ctx, [tweet.author]);
  const author = authors.get(tweet.author);
  if (author === undefined) throw new NotFound("author");
  return viewTweet(tweet, { author, viewer, now: ctx.now() });
}

/** What a tweet's view depends on beside the tweet; `now` in milliseconds. */
export interface Seen {
  author: User;
  viewer: User | undefined;
  now: number;
}

export function viewTweet(tweet: Tweet, { author, viewer, now }: Seen): TweetView {
  const url = `/tweets/${tweet.id}`;
  return {
    id: tweet.id,
    url,
    author: presentName(author),
    parts: presentText(tweet.text),
    ...presentTime(tweet.createdAt, now),
    deleteUrl: viewer?.id === tweet.author ? `${url}/delete` : undefined,
    nextAfterDelete: `/@${author.name}`,
  };
}

export interface PagingView {
  older: { href: string; label: string } | undefined;
  newest: { href: string; label: string } | undefined;
}

/** Links from one page of a list to the next and back to its start; `path` has no query. */
export function presentPaging(path: string, page: Page<unknown>, isFirst: boolean): PagingView {
  return {
    older:
      page.older === undefined
        ? undefined
        : { href: `${path}?before=${page.older}`, label: "Older" },
    newest: isFirst ? undefined : { href: path, label: "Back to the newest" },
  };
}
