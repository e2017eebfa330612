import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import { isHiddenFrom } from "../users/hidden.ts";
import { mutedWordsOf } from "../users/muted-words.ts";
import { relationsTo, type Viewer } from "../users/relations.ts";
import { findUsers } from "../users/store.ts";
import type { Listed } from "./read-feed.ts";
import type { Tweet } from "./tweet.ts";

/**
 * Which of these the viewer, or somebody who is signed out, is to see: nothing by or through somebody
 * who is hidden from them (see hiddenFrom), nothing by or through somebody muted (but `evenMuted`), nothing with a muted word in it unless it is their own. Takes quotes of the same kind
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
  const people = new Set(items.flatMap(peopleIn));
  const [users, relationTo, hasMutedWord] = await Promise.all([
    findUsers(ctx, people),
    relationsTo(ctx, viewer, people),
    viewer === undefined ? neverMuted : mutedWordsOf(ctx, viewer),
  ]);
  const showsMuted = evenMuted === "everything";
  const isHidden = (author: UserId) => {
    if (isHiddenFrom(viewer, users.get(author), relationTo)) return true;
    if (author === viewer?.id || showsMuted || author === evenMuted) return false;
    return relationTo(author).muted;
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

/** Those too who are only named: asked about here, so that the page need not ask once more. */
function peopleIn({ tweet, retweet, quote }: Listed): UserId[] {
  const people = [tweet.author];
  if (retweet !== undefined) people.push(retweet.author);
  if (quote !== undefined) people.push(quote.author);
  if (tweet.replyTo !== undefined) people.push(tweet.replyTo.author);
  return people;
}
