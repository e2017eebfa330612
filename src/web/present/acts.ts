import type { Act, Verb } from "../../domain/moderation/audit.ts";
import type { SubjectFacts } from "../../domain/moderation/facts.ts";
import type { Stamp } from "../../domain/stamp.ts";
import type { Words } from "../languages/words.ts";
import { type NameView, presentName } from "./people.ts";
import { presentTime, type TimeView } from "./time.ts";

const verbWords: Readonly<Record<Verb, string>> = {
  dismiss: "dismissed the reports about",
  remove: "removed",
  suspend: "suspended",
  reinstate: "reinstated",
};

export interface ActView extends TimeView {
  by: NameView | undefined;
  did: string;
  /** The tweet that it was about, if it was one. */
  tweet: { text: string; href: string } | undefined;
  /** The person that it was about, or who wrote the tweet. */
  person: NameView | undefined;
  note: string;
}

export function presentAct(
  words: Words,
  { by, verb, subject, note, stamp }: Act & { stamp: Stamp },
  { authors, users }: SubjectFacts,
  now: number,
): ActView {
  const isTweet = subject.kind === "tweet";
  const personId = isTweet ? authors.get(subject.tweet) : subject.person;
  const name = (id: typeof personId) => {
    const user = id === undefined ? undefined : users.get(id);
    return user && presentName(user);
  };
  return {
    by: name(by),
    did: verbWords[verb],
    tweet: isTweet
      ? { text: `tweet ${subject.tweet}`, href: `/tweets/${subject.tweet}` }
      : undefined,
    person: name(personId),
    note,
    ...presentTime(words, stamp, now),
  };
}
