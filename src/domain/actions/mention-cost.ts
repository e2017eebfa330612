import type { Ctx } from "../../context.ts";
import { followersAmong } from "../graph/follows.ts";
import { strangerPoints } from "../limits.ts";
import { mentionsIn } from "../tweets/text.ts";
import { mentionsOrAnswers, type Tweet } from "../tweets/tweet.ts";

/** Counts mentions. Throws TooMany. */
export type Charge = (mentions: number) => Promise<unknown>;

/**
 * How many mentions a tweet counts for: one for each name and for the author of the `answered` tweet,
 * but strangerPoints for users who do not follow the author. Answering a user who mentioned the author costs one
 * point. Names that an edited tweet had `before` cost nothing.
 */
export async function mentionCost(
  ctx: Ctx,
  { author, text, mentions = [] }: Pick<Tweet, "author" | "text" | "mentions">,
  { answered, before }: { answered?: Tweet | undefined; before?: Tweet } = {},
): Promise<number> {
  const former = new Set(before === undefined ? [] : mentionsIn(before.text));
  const names = new Set(mentionsIn(text).filter((name) => !former.has(name)));
  const notified = new Set(mentions.filter(({ name }) => names.has(name)).map(({ id }) => id));
  const absent = names.size - notified.size;
  if (answered !== undefined) notified.add(answered.author);
  notified.delete(author);
  if (notified.size === 0) return absent;
  const followers = await followersAmong(ctx, author, notified);
  const answers = answered !== undefined && mentionsOrAnswers(answered, author);
  const costs = [...notified].map((id) =>
    followers.has(id) || (answers && id === answered.author) ? 1 : strangerPoints,
  );
  return costs.reduce((sum, cost) => sum + cost, absent);
}
