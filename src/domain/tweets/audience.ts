import type { User } from "../users/store.ts";
import { audiences, type Audience } from "../users/choices.ts";
import type { Tweet } from "./tweet.ts";

/** Whom a tweet is for; public unless its author said otherwise. */
export function audienceOf({ audience = "public" }: Pick<Tweet, "audience">): Audience {
  return audience;
}

/** Whether a tweet is a message: for its people alone, and in no timeline. */
export function isMessage({ audience }: Pick<Tweet, "audience">): boolean {
  return audience === "mentioned";
}

/** The smaller of two audiences. */
export function narrower(one: Audience, other: Audience): Audience {
  return audiences.indexOf(one) > audiences.indexOf(other) ? one : other;
}

/** The same with the author's protection, which makes an open tweet one for followers. */
export function effectiveAudience(tweet: Pick<Tweet, "audience">, author: User): Audience {
  return author.protected ? narrower(audienceOf(tweet), "followers") : audienceOf(tweet);
}

/** Whether everyone may see it, so that it may be retweeted and quoted. */
export function isOpen(tweet: Pick<Tweet, "audience">, author: User): boolean {
  return ["public", "unlisted"].includes(effectiveAudience(tweet, author));
}
