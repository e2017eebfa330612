import type { Lab } from "./lab.ts";
import { inLanes } from "./lanes.ts";
import type { Fact } from "./ledger.ts";
import type { Load } from "./load.ts";
import { choicesOn, peopleOn, readToEnd, type Shown, tweetsOn } from "./pages.ts";
import type { User } from "./user.ts";
import type { Lists } from "./verdict.ts";

const lanes = 6;

/** What each user likes, retweeted, follows and muted, as pages tell it; follows from both ends. */
interface NotificationItem {
  likes: Set<string>;
  retweets: Set<string>;
  followings: Set<string>;
  followers: Set<string>;
  tags: Set<string>;
  words: Set<string>;
}

/** Likes, retweets, follows and muted words are as they were last acknowledged, and both ends of a follow agree. */
export async function checkFacts({ report }: Lab, load: Load, profiles: Lists): Promise<void> {
  const told = new Map(
    await inLanes(load.users, lanes, async (user): Promise<[string, NotificationItem]> => {
      return [user.person.name, await read(user, profiles)];
    }),
  );
  // What a deletion took may be half gone where a failover lost the rest of it.
  const kept = ({ text }: Shown) => load.ledger.tweets.get(text)?.deletedAt === undefined;
  const shown = [...profiles.values()].flat().filter(kept);
  const alive = new Set(shown.map(({ tweet }) => tweet));
  for (const fact of load.ledger.facts.values()) {
    const isOfTweet = fact.kind === "like" || fact.kind === "retweet";
    if (!fact.certain || (isOfTweet && !alive.has(fact.object))) continue;
    if (isSo(fact, told.get(fact.actor)) === fact.is) continue;
    const undone = fact.is ? "" : "un";
    const what = `@${fact.actor} ${undone}${fact.kind} ${fact.object}`;
    report.isLost(fact.at, "an acknowledged act is lost", what);
  }
  for (const [name, { followings }] of told)
    for (const [other, { followers }] of told)
      if (followings.has(other) !== followers.has(name))
        report.problem("the two ends of a follow disagree", `@${name} → @${other}`);
}

async function read({ person, browser }: User, profiles: Lists): Promise<NotificationItem> {
  const path = `/@${person.name}`;
  const likes = await readToEnd(browser, `${path}/likes`, tweetsOn);
  const mine = profiles.get(person.name) ?? [];
  return {
    likes: new Set(likes.map(({ tweet }) => tweet)),
    retweets: new Set(mine.filter(({ isRetweet }) => isRetweet).map(({ tweet }) => tweet)),
    followings: new Set(await readToEnd(browser, `${path}/followings`, peopleOn)),
    followers: new Set(await readToEnd(browser, `${path}/followers`, peopleOn)),
    tags: new Set(await readToEnd(browser, "/settings/tags", choicesOn)),
    words: new Set(await readToEnd(browser, "/settings/muted", choicesOn)),
  };
}

function isSo({ kind, object }: Fact, told: NotificationItem | undefined): boolean | undefined {
  if (kind === "like") return told?.likes.has(object);
  if (kind === "tag") return told?.tags.has(`#${object}`);
  if (kind === "word") return told?.words.has(object);
  return kind === "retweet" ? told?.retweets.has(object) : told?.followings.has(object);
}
