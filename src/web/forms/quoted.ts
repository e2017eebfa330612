import { parseTweetId, type TweetId } from "../../domain/ids.ts";
import { parseEntities } from "../../domain/tweets/text.ts";

/** First tweet of this site that a text links to. `tweets` is the prefix of tweet addresses. */
export function quotedIn(text: string, tweets: string): TweetId | undefined {
  for (const entity of parseEntities(text)) {
    if (entity.kind !== "link" || !entity.url.startsWith(tweets)) continue;
    const id = parseTweetId(entity.url.slice(tweets.length).replace(/[?#].*$/, ""));
    if (id !== undefined) return id;
  }
  return undefined;
}
