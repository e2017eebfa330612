import type { TweetId } from "../../domain/ids.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import type { User } from "../../domain/users/store.ts";
import type { Translator } from "../languages/translator.ts";
import { type NameView, presentName } from "./people.ts";
import { type PicturesView, presentPictures } from "./pictures.ts";
import { presentText, type TextPart } from "./text.ts";
import { presentTime, type TimeView } from "./time.ts";

/** A tweet quoted by another one. */
export interface CardView extends TimeView {
  url: string;
  /** The tweet's page, open at the tweet: what a reply answers stands above it. */
  openUrl: string;
  author: NameView;
  /** Content warning: everything else is folded under it. */
  warning: string | undefined;
  /** Language of its words, if that is another one than the page's. */
  lang: string | undefined;
  /** Empty for a tweet of pictures alone. */
  parts: TextPart[];
  pictures: PicturesView | undefined;
  /** Time of the last edit, if there was one. */
  edited: EditedView | undefined;
}

interface EditedView extends TimeView {
  /** "Edited November 3, 2026 at 4:05 AM UTC". */
  sentence: string;
  historyUrl: string;
}

/** `now` in milliseconds. `isFirst`: browsers load its pictures at once. */
export function presentCard(
  words: Translator,
  tweet: Tweet,
  author: User,
  { now, isFirst = false }: { now: number; isFirst?: boolean },
): CardView {
  return {
    url: `/tweets/${tweet.id}`,
    openUrl: tweet.replyTo === undefined ? `/tweets/${tweet.id}` : openUrl(tweet.id),
    author: presentName(author),
    warning: tweet.warning,
    lang: foreignTo(words, tweet),
    parts: presentText(tweet.text, tweet.mentions),
    pictures: presentPictures(words, tweet, isFirst),
    edited: presentEdited(words, tweet, now),
    ...presentTime(words, tweet.createdAt, now),
  };
}

/** The language of a tweet if the page's is another one. */
export function foreignTo(words: Translator, { language }: Tweet): string | undefined {
  return language === words.language ? undefined : language;
}

/** `now` in milliseconds. Undefined if the tweet is as it was posted. */
export function presentEdited(
  words: Translator,
  { id, editedAt }: Tweet,
  now: number,
): EditedView | undefined {
  if (editedAt === undefined) return undefined;
  const time = presentTime(words, editedAt, now);
  const sentence = words.t("tweet.editedAt", { time: time.longTime });
  return { ...time, sentence, historyUrl: `/tweets/${id}/history` };
}

/** A tweet on its own page. */
export function openUrl(id: TweetId): string {
  return `/tweets/${id}#tweet-${id}`;
}
