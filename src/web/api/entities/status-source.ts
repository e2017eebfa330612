import type { Listed } from "../../../domain/tweets/read-feed.ts";
import { presentText } from "../../present/text.ts";
import { statusId } from "../ids.ts";
import { spellDate } from "./account.ts";
import { contentOf } from "./content.ts";

/** The JSON of a status as it was typed. */
export function presentSource({ tweet, retweet }: Listed): string {
  return JSON.stringify({ id: statusId(retweet ?? tweet), text: tweet.text, spoiler_text: "" });
}

/** The JSON of all versions of a status: the first, as nothing is edited. `account` is spelled already. */
export function presentEdits(site: string, { tweet, stamp }: Listed, account: string): string[] {
  const edit = JSON.stringify({
    content: contentOf(presentText(tweet.text, tweet.mentions), site),
    spoiler_text: "",
    sensitive: false,
    created_at: spellDate(stamp),
    media_attachments: [],
    emojis: [],
    poll: null,
  });
  return [`${edit.slice(0, -1)},"account":${account}}`];
}
