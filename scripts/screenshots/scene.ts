import type { Ctx } from "../../src/context.ts";
import type { TweetId, UserId } from "../../src/domain/ids.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { prepareHome } from "../../src/domain/timelines/home.ts";
import { likeTweet } from "../../src/domain/actions/like.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../src/domain/actions/retweet.ts";
import { hashPassword } from "../../src/domain/users/passwords.ts";
import { createUser } from "../../src/domain/users/sign-up.ts";
import { demoPassword } from "../seed/demo.ts";

const people = 8;
const minute = 60_000;

/** Who says what, in this order; `to` is the place in this list of what is answered. */
const sayings: { by: number; text: string; to?: number }[] = [
  { by: 3, text: "The bread came out well. #baking" },
  { by: 5, text: "雀が三羽、庭に来ました。今日はとても静かな朝です。" },
  { by: 2, text: "A train was on time, to the minute. I waved." },
  { by: 6, text: "Found a better way to sort the shelf: by how often a book was lent. #books" },
  { by: 4, text: "Rain on the roof again. Kettle is on." },
  { by: 7, text: "Counted seven sparrows at the window 🐦 #birds" },
  { by: 2, text: "Only seven? We had twelve on the fence this morning. #birds", to: 5 },
  { by: 5, text: "昨日は十羽でした。", to: 6 },
  { by: 1, text: "Where do they all sleep? #birds", to: 6 },
  { by: 3, text: "Under the roof tiles, all in a row.", to: 8 },
  { by: 8, text: "Reading beats scrolling. Say it small, then go outside." },
  { by: 4, text: "@demo_1 the soup is ready when you are" },
];

/** Makes the same people and the same talk each time. Returns the address of the talk's thread. */
export async function setScene(ctx: Ctx): Promise<{ thread: string }> {
  const pass = await hashPassword(demoPassword, ctx.config.bcryptCost);
  const ids: UserId[] = [];
  for (let nth = 1; nth <= people; nth += 1) {
    const fields = { name: `demo_${nth}`, fullname: `Demo Person ${nth}`, pass };
    const id = await createUser(ctx, fields);
    await prepareHome(ctx, id, "new");
    ids.push(id);
  }
  const who = (nth: number) => at(ids, nth - 1);
  for (let nth = 2; nth <= people; nth += 1) {
    await follow(ctx, { follower: who(1), followee: who(nth) });
    if (nth % 2 === 0) await follow(ctx, { follower: who(nth), followee: who(1) });
  }
  const tweets: TweetId[] = [];
  const now = ctx.now();
  for (const [nth, { by, text, to }] of sayings.entries()) {
    const moment = now - (sayings.length - nth) * 7 * minute;
    const replyTo = to === undefined ? undefined : at(tweets, to);
    tweets.push(await postTweet({ ...ctx, now: () => moment }, who(by), { text, replyTo }));
  }
  for (const [nth, tweet] of tweets.entries())
    for (let fan = 1; fan <= (nth * 5) % people; fan += 1) await likeTweet(ctx, who(fan), tweet);
  for (const fan of [2, 3, 5]) await likeTweet(ctx, who(fan), at(tweets, 8));
  await retweet(ctx, who(4), at(tweets, 8));
  return { thread: `/tweets/${at(tweets, 6)}` };
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
}
