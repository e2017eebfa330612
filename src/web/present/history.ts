import type { Ctx } from "../../context.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import { historyOf } from "../../domain/tweets/versions.ts";
import type { Translator } from "../languages/translator.ts";
import { pictureUrl, presentPictures } from "./pictures.ts";
import { presentText } from "./text.ts";
import { presentTime } from "./time.ts";
import { foreignTo } from "./tweet-card.ts";

/** All versions of a tweet, the newest first. */
export async function presentHistory(ctx: Ctx, words: Translator, tweet: Tweet) {
  const versions = await historyOf(ctx, tweet);
  // An import keeps the mark only.
  const isWhole = tweet.editedAt === undefined || versions.length > 1;
  const last = isWhole ? versions.length - 1 : Infinity;
  return {
    title: words.t("edit.history"),
    tweetUrl: `/tweets/${tweet.id}`,
    note: isWhole ? undefined : words.t("edit.elsewhere"),
    versions: versions.map((version, nth) => ({
      label: labelOf(words, { nth, last, count: versions.length }),
      ...presentTime(words, version.createdAt, ctx.now()),
      warning: version.warning,
      lang: foreignTo(words, version),
      parts: presentText(version.text, version.mentions),
      pictures: picturesOf(words, version),
    })),
  };
}

function labelOf(
  words: Translator,
  { nth, last, count }: { nth: number; last: number; count: number },
): string {
  if (nth === last) return words.t("edit.original");
  if (nth === 0) return words.t("edit.current");
  return words.t("edit.version", { number: String(count - nth) });
}

/** Only the pictures that the tweet has now have a page of their own; here each leads to its file. */
function picturesOf(words: Translator, version: Tweet) {
  const view = presentPictures(words, version);
  return (
    view && {
      ...view,
      items: view.items.map((item, nth) => {
        const file = version.pictures?.[nth]?.large.file;
        return file === undefined ? item : { ...item, href: pictureUrl(file) };
      }),
    }
  );
}
