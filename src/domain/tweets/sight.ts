import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { mutedWordsOf } from "../users/muted-words.ts";
import { relationsTo, type Viewer } from "../users/relations.ts";
import { findUsers } from "../users/store.ts";
import type { Listed } from "./read-feed.ts";
import type { Tweet } from "./tweet.ts";

/**
 * Which of these the viewer, or somebody who is signed out, is to see: nothing by or through somebody
 * who is suspended or with whom there is a block, nothing by or through somebody muted (but
 * `evenMuted`), nothing with a muted word in it unless it is their own. Takes quotes of the same kind
 * out of those that are seen. Whoever asks for one tweet sees it even if they muted it: `evenMuted` is
 * "everything".
 */
export async function sightOf(
  ctx: Ctx,
  viewer: Viewer | undefined,
  items: Listed[],
  evenMuted?: UserId | "everything",
): Promise<(item: Listed) => boolean> {
  if (items.length === 0) return () => true;
  const authors = items.flatMap(authorsOf);
  const [users, relationTo, hasMutedWord] = await Promise.all([
    findUsers(ctx, [...authors, ...items.flatMap(answeredBy)]),
    relationsTo(ctx, viewer, authors),
    viewer === undefined ? neverMuted : mutedWordsOf(ctx, viewer),
  ]);
  const showsMuted = evenMuted === "everything";
  const isHidden = (author: UserId) => {
    if (users.get(author)?.suspended === true) return true;
    if (author === viewer?.id) return false;
    const { blocked, muted } = relationTo(author);
    return blocked || (muted && !showsMuted && author !== evenMuted);
  };
  const isQuiet = ({ author, text }: Tweet) =>
    author !== viewer?.id && !showsMuted && hasMutedWord(text);
  return (item) => {
    const { tweet, retweet, quote } = item;
    if (quote !== undefined && (isHidden(quote.author) || isQuiet(quote))) item.quote = undefined;
    if (isHidden(tweet.author) || isQuiet(tweet)) return false;
    return retweet === undefined || !isHidden(retweet.author);
  };
}

const neverMuted = () => false;

/** Shown with it by their name only; asked about here, so that the page need not ask once more. */
function answeredBy({ tweet }: Listed): UserId[] {
  return tweet.replyTo === undefined ? [] : [tweet.replyTo.author];
}

function authorsOf({ tweet, retweet, quote }: Listed): UserId[] {
  const authors = [tweet.author];
  if (retweet !== undefined) authors.push(retweet.author);
  if (quote !== undefined) authors.push(quote.author);
  return authors;
}
