import { parseTweetId, type TweetId } from "../../domain/ids.ts";
import { parseEntities } from "../../domain/tweets/entities.ts";

/** The tweet of this site to which a text links first; `tweets` is how their addresses begin. */
export function quotedIn(text: string, tweets: string): TweetId | undefined {
  for (const entity of parseEntities(text)) {
    if (entity.kind !== "link" || !entity.url.startsWith(tweets)) continue;
    const id = parseTweetId(entity.url.slice(tweets.length).replace(/[?#].*$/, ""));
    if (id !== undefined) return id;
  }
  return undefined;
}
