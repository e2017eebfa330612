import { z } from "zod";
import {
  isOver,
  type Poll as Asked,
  showsNumbers,
  type Tally,
} from "../../../domain/tweets/poll.ts";
import type { Tweet } from "../../../domain/tweets/tweet.ts";
import { statusId } from "../ids.ts";
import { constants, count, entity, id, moment } from "./fields.ts";
import type { ApiView } from "./parts.ts";

const always = { emojis: [] } as const;

export const Poll = entity("Poll", {
  id: id.describe("That of its status."),
  expires_at: moment,
  expired: z.boolean(),
  multiple: z.boolean(),
  votes_count: count,
  voters_count: count,
  options: z.array(
    z.strictObject({
      title: z.string(),
      votes_count: count
        .nullable()
        .describe("0 until the viewer has voted or it has ended; null with `hide_totals`."),
      ...constants(always),
    }),
  ),
  voted: z.boolean().optional().describe("Also if the viewer is the author, as in Mastodon."),
  own_votes: z.array(z.int()).optional(),
  ...constants(always),
});

/** The poll of a tweet. */
export function pollEntity(
  { ctx, viewer }: Pick<ApiView, "ctx" | "viewer">,
  tweet: Tweet,
  poll: Asked,
  tally: Tally = { counts: [], voters: 0, own: undefined },
): z.output<typeof Poll> {
  const now = ctx.now();
  const isAuthor = viewer?.id === tweet.author;
  const isShown = showsNumbers(poll, tally, { isAuthor, now });
  const { counts, voters, own = [] } = tally;
  return {
    id: statusId(tweet),
    expires_at: new Date(poll.ends).toISOString(),
    expired: isOver(poll, now),
    multiple: poll.several === true,
    votes_count: counts.reduce((sum, one) => sum + one, 0),
    voters_count: voters,
    options: poll.choices.map((title, nth) => ({
      title,
      // Some apps can read no null. Totals that are hidden from voters too stay null, as in Mastodon.
      votes_count: isShown ? (counts[nth] ?? 0) : poll.secret === true ? null : 0,
      ...always,
    })),
    ...(viewer && { voted: isAuthor || own.length > 0, own_votes: [...own] }),
    ...always,
  };
}
