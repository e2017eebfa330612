import { isOver, type Poll, showsNumbers, type Tally } from "../../domain/tweets/poll.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Translator } from "../languages/translator.ts";
import { withNext } from "./form.ts";
import { nextDuration, presentDuration } from "./time.ts";

const nobody: Tally = { counts: [], voters: 0, own: undefined };

/** Who looks at a poll, and when in milliseconds; `at`: the query of an address that leads back to its item. */
interface Look {
  viewer: { id: UserId } | undefined;
  now: number;
  at: string;
}

/** The poll of a tweet: a form as long as the viewer may vote, then its numbers, if the viewer may see them. */
export function presentPoll(
  words: Translator,
  { id, author, poll }: Tweet,
  tally = nobody,
  { viewer, now, at }: Look,
) {
  if (poll === undefined) return undefined;
  const isAuthor = viewer?.id === author;
  const { voters, own } = tally;
  const isOpen = !isOver(poll, now);
  const mayVote = isOpen && viewer !== undefined && !isAuthor && own === undefined;
  const isShown = showsNumbers(poll, tally, { isAuthor, now });
  return {
    action: mayVote ? `/tweets/${id}/vote${at}` : undefined,
    type: poll.several === true ? "checkbox" : "radio",
    choices: poll.choices.map((text, nth) => ({
      text,
      value: String(nth),
      isOwn: own?.includes(nth) === true,
      bar: isShown ? presentBar(words, tally, nth) : undefined,
    })),
    voters: words.t("poll.voters", words.counted(voters)),
    state: presentState(words, poll, now),
    isSecret: isOpen && !isShown && own !== undefined,
    logInUrl: isOpen && viewer === undefined ? withNext("/login", `/tweets/${id}`) : undefined,
  };
}

/** Votes for a choice, as a part of all voters. */
function presentBar(words: Translator, { counts, voters }: Tally, nth: number) {
  const count = counts[nth] ?? 0;
  const percent = voters === 0 ? 0 : Math.round((100 * count) / voters);
  return {
    count: words.t("poll.votes", words.counted(count)),
    value: percent,
    percent: new Intl.NumberFormat(words.language, { style: "percent" }).format(percent / 100),
  };
}

function presentState(words: Translator, poll: Poll, now: number): string {
  if (poll.elsewhere !== undefined) return words.t("poll.elsewhere");
  if (isOver(poll, now)) return words.t("poll.over");
  return words.t("poll.left", { time: presentDuration(words, poll.ends - now) });
}

/** When the words about its end change next; milliseconds. */
export function nextChangeOfPoll({ poll }: Tweet, now: number): number {
  return poll === undefined || isOver(poll, now) ? Infinity : now + nextDuration(poll.ends - now);
}

/** All that its view depends on, beside the time. */
export function keyOfPoll(
  { author, poll }: Tweet,
  { counts, voters, own }: Tally = nobody,
  viewer: UserId | undefined,
): string {
  return poll
    ? `v${viewer === author ? "a" : ""}${own?.join() ?? "-"}:${voters}:${counts.join()}`
    : "";
}
