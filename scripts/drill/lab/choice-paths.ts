import type { Ctx } from "../../../src/context.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { mutedWordId } from "../../../src/domain/graph/muted-words.ts";
import type { TweetId } from "../../../src/domain/ids.ts";
import { keys } from "../../../src/redis/keys.ts";
import type { Browser } from "./browser.ts";
import type { Person } from "./inside.ts";
import type { WritePath } from "./write-paths.ts";

/** Write paths of a user who edits a tweet, and chooses what is at home and what is a notification. */
export async function choicePaths(
  { redis, ...ctx }: Ctx,
  { me, fan, tweet }: { me: Person; fan: Person; tweet: TweetId },
  browser: Browser,
): Promise<WritePath[]> {
  await follow({ ...ctx, redis }, { follower: me.id, followee: fan.id });
  const has = async (key: string, member: string) => (await redis.zscore(key, member)) !== null;
  const [text, tag, word] = [`drill #${me.name}edit`, `${me.name}tag`, `${me.name}word`];
  const form = (
    name: string,
    path: string,
    ends: () => Promise<boolean>[],
    fields: Record<string, string> = {},
  ): WritePath => ({ name, path, fields, browser, ends: () => Promise.all(ends()) });
  return [
    form(
      "edit",
      `/tweets/${tweet}/edit`,
      () => [
        redis.hget(keys.tweet(tweet), "text").then((one) => one === text),
        redis.hget(keys.tweet(tweet), "edits").then((one) => one === "1"),
        redis.hexists(keys.tweet(tweet), "was:0").then((one) => one === 1),
        has(keys.tag(`${me.name}edit`), tweet),
        has(keys.tag(`${me.name}posted`), tweet).then((one) => !one),
      ],
      { text },
    ),
    form("follow tag", `/tags/${tag}/follow`, () => [has(keys.followedTags(me.id), tag)]),
    form(
      "mute word",
      "/settings/muted",
      () => [redis.hexists(keys.filters(me.id), mutedWordId(word)).then((one) => one === 1)],
      { word, duration: "ever" },
    ),
    form("hide retweets", `/@${fan.name}/hide-retweets`, () => [
      has(keys.withoutRetweets(me.id), fan.id),
    ]),
    form("notify", `/@${fan.name}/notify`, () => [has(keys.watchers(fan.id), me.id)]),
  ];
}
