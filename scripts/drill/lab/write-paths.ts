import { randomUUID } from "node:crypto";
import type { Ctx } from "../../../src/context.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { block } from "../../../src/domain/actions/block.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { likeTweet } from "../../../src/domain/actions/like.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { keys } from "../../../src/redis/keys.ts";
import type { Browser, Fields } from "./browser.ts";
import { choicePaths } from "./choice-paths.ts";
import { makePeople, type Person, password } from "./inside.ts";
import { enters, isIn, thief } from "./thief.ts";

/** Users who are written to in all rounds; the fan follows every writer. */
export interface Cast {
  star: Person;
  fan: Person;
  others: Person[];
}

/** One form of one round, and how its outcome is seen. */
export interface WritePath {
  name: string;
  browser: Browser;
  path: string;
  fields: Fields;
  /** Each place where it shows: all of them, or none. None given: it only has to work again. */
  ends(): Promise<boolean[]>;
  /** What must work once it is done, and costs time to find out. */
  works?: () => Promise<boolean>;
}

const newPassword = "another sparrow 8";

/** Every write path, with users of its own for the round with this number. */
export async function writePaths(
  ctx: Ctx,
  { star, fan, others }: Cast,
  round: number,
  open: (nth: number) => Browser,
): Promise<WritePath[]> {
  const { redis } = ctx;
  const made = await makePeople(ctx, `r${round}x`, 5);
  const [writer, changer, leaver, comer, eraser] = made as [Person, Person, Person, Person, Person];
  const [a, b, c, d] = others as [Person, Person, Person, Person];
  const me = writer.id;
  await follow(ctx, { follower: fan.id, followee: me });
  for (const followee of [b.id, c.id]) await follow(ctx, { follower: me, followee });
  await block(ctx, { blocker: me, blocked: d.id });
  const [fresh, liked, retweeted] = (await Promise.all(
    ["fresh", "liked", "retweeted"].map((what) =>
      postTweet(ctx, star.id, { text: `drill star ${round} ${what}` }),
    ),
  )) as [TweetId, TweetId, TweetId];
  const mine = await postTweet(ctx, me, { text: `drill ${writer.name} to be deleted` });
  const edited = await postTweet(ctx, me, { text: `drill #${writer.name}posted` });
  await likeTweet(ctx, me, liked);
  await retweet(ctx, me, retweeted);

  const browsers = made.map((_, nth) => open(round * 10 + nth));
  const [writing, changing, leaving, coming, erasing] = browsers as [
    Browser,
    Browser,
    Browser,
    Browser,
    Browser,
  ];
  const entering: [Browser, Person][] = [
    [writing, writer],
    [changing, changer],
    [leaving, leaver],
    [erasing, eraser],
  ];
  for (const [browser, { name }] of entering) await browser.logIn(name, password);
  const arriving = open(round * 10 + 9);

  const has = async (key: string, member: string) => (await redis.zscore(key, member)) !== null;
  const form = (
    name: string,
    path: string,
    ends: () => Promise<boolean>[],
    fields: Fields = {},
    browser = writing,
    works?: () => Promise<boolean>,
  ): WritePath => ({
    name,
    path,
    fields,
    browser,
    ...(works === undefined ? {} : { works }),
    ends: () => Promise.all(ends()),
  });
  const idOf = async (text: string): Promise<string | undefined> => {
    for (const id of await redis.zrange(keys.userTimeline(me), "0", "-1"))
      if ((await redis.hget(keys.tweet(id as TweetId), "text")) === text) return id;
    return undefined;
  };
  const hash = ({ id }: Person) => redis.hget(keys.user(id), "pass");
  const changed = await hash(changer);
  const thieves = [changing, erasing].map((browser) => thief(open(round * 10 + 7), browser));
  const [thiefOfChanger, thiefOfEraser] = thieves as [Browser, Browser];
  const newcomer = `new${round}`;
  const idOfNewcomer = async () => (await redis.get(keys.username(newcomer))) ?? "";
  const texts = { post: `drill ${writer.name} posts`, reply: `drill ${writer.name} replies` };
  return [
    form(
      "post",
      "/tweets",
      () => [
        idOf(texts.post).then((id) => id !== undefined),
        idOf(texts.post).then((id) => has(keys.homeTimeline(fan.id), id ?? "")),
      ],
      { text: texts.post, nonce: randomUUID() },
    ),
    form(
      "reply",
      "/tweets",
      () => [
        idOf(texts.reply).then((id) => id !== undefined),
        idOf(texts.reply).then((id) => has(keys.tweetReplies(fresh), id ?? "")),
      ],
      { text: texts.reply, reply_to: fresh, nonce: randomUUID() },
    ),
    form("retweet", at(fresh, "retweet"), () => [
      redis.hexists(keys.retweets(me), fresh).then(Boolean),
      has(keys.tweetRetweets(fresh), me),
    ]),
    form("unretweet", at(retweeted, "unretweet"), () => [
      redis.hexists(keys.retweets(me), retweeted).then((one) => one === 0),
      not(has(keys.tweetRetweets(retweeted), me)),
    ]),
    form("like", at(fresh, "like"), () => [
      has(keys.likes(me), fresh),
      has(keys.tweetLikes(fresh), me),
    ]),
    form("unlike", at(liked, "unlike"), () => [
      not(has(keys.likes(me), liked)),
      not(has(keys.tweetLikes(liked), me)),
    ]),
    form("follow", `/@${a.name}/follow`, () => [
      has(keys.followings(me), a.id),
      has(keys.followers(a.id), me),
    ]),
    form("unfollow", `/@${b.name}/unfollow`, () => [
      not(has(keys.followings(me), b.id)),
      not(has(keys.followers(b.id), me)),
    ]),
    form("block", `/@${c.name}/block`, () => [
      has(keys.blocks(me), c.id),
      has(keys.blockedBy(c.id), me),
      not(has(keys.followings(me), c.id)),
    ]),
    form("unblock", `/@${d.name}/unblock`, () => [
      not(has(keys.blocks(me), d.id)),
      not(has(keys.blockedBy(d.id), me)),
    ]),
    form("delete", at(mine, "delete"), () => [
      redis.hexists(keys.tweet(mine), "deleted_at").then(Boolean),
      not(has(keys.userTimeline(me), mine)),
      not(has(keys.globalTimeline, mine)),
    ]),
    ...(await choicePaths(ctx, { me: writer, fan, tweet: edited }, writing)),
    form(
      "profile",
      "/settings/profile",
      () => [
        redis.hget(keys.user(me), "fullname").then((one) => one === "Drill Changed"),
        redis.hget(keys.user(me), "bio").then((one) => one === "sings"),
      ],
      { fullname: "Drill Changed", bio: "sings", website: "" },
    ),
    form(
      "password",
      "/settings/account",
      () => [hash(changer).then((now) => now !== changed), not(isIn(thiefOfChanger))],
      { current_password: password, new_password: newPassword },
      changing,
      () => enters(open(round * 10 + 8), changer.name, newPassword),
    ),
    form("log-out", "/logout", () => [], {}, leaving),
    form("log-in", "/login", () => [], { name: comer.name, password }, coming),
    form(
      "sign-up",
      "/signup",
      () => [
        redis.ttl(keys.username(newcomer)).then((one) => one === -1),
        idOfNewcomer().then(async (id) => (await redis.ttl(keys.user(id as UserId))) === -1),
      ],
      { name: newcomer, fullname: "Drill New", password },
      arriving,
      () => enters(open(round * 10 + 8), newcomer, password),
    ),
    form(
      "erase",
      "/settings/account/delete",
      () => [hash(eraser).then((one) => one === null), not(isIn(thiefOfEraser))],
      { name: eraser.name, password },
      erasing,
    ),
  ];
}

const not = async (wanted: Promise<boolean>): Promise<boolean> => !(await wanted);
const at = (tweet: TweetId, verb: string): string => `/tweets/${tweet}/${verb}`;
