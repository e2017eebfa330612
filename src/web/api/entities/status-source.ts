import type { FeedItem } from "../../../domain/feeds/types.ts";
import { presentText } from "../../present/text.ts";
import { statusId } from "../ids.ts";
import { formatDate } from "./account.ts";
import { contentOf } from "./content.ts";

/** The JSON of a status as it was typed. */
export function presentSource({ tweet, retweet }: FeedItem): string {
  return JSON.stringify({ id: statusId(retweet ?? tweet), text: tweet.text, spoiler_text: "" });
}

/** The JSON of all versions of a status: the first, as nothing is edited. `account` is spelled already. */
export function presentEdits(site: string, { tweet, stamp }: FeedItem, account: string): string[] {
  const edit = JSON.stringify({
    content: contentOf(presentText(tweet.text, tweet.mentions), site),
    spoiler_text: "",
    sensitive: false,
    created_at: formatDate(stamp),
    media_attachments: [],
    emojis: [],
    poll: null,
  });
  return [`${edit.slice(0, -1)},"account":${account}}`];
}
