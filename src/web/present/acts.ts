import type { UserId } from "../../domain/ids.ts";
import type { Act } from "../../domain/moderation/audit.ts";
import type { SubjectFacts } from "../../domain/moderation/subject.ts";
import type { Stamp } from "../../domain/stamp.ts";
import type { Piece, Translator } from "../languages/translator.ts";
import { presentTime, type TimeView } from "./time.ts";

interface LinkView {
  href: string;
  text: string;
}

export interface ActView extends TimeView {
  /** An entry of the audit log in words: who did what to which user or tweet. */
  sentence: Piece<LinkView>[];
  note: string;
}

export function presentAct(
  words: Translator,
  { by, verb, subject, note, stamp }: Act & { stamp: Stamp },
  { authors, users }: SubjectFacts,
  now: number,
): ActView {
  const isTweet = subject.kind === "tweet";
  const personId = isTweet ? authors.get(subject.tweet) : subject.person;
  const link = (id: UserId | undefined): LinkView | undefined => {
    const user = id === undefined ? undefined : users.get(id);
    return user && { href: `/@${user.name}`, text: `@${user.name}` };
  };
  return {
    sentence: words.pieces<LinkView>(`moderation.did.${verb}`, {
      about: subject.kind,
      by: link(by) ?? words.t("moderation.deletedAccountFirst"),
      person: link(personId) ?? words.t("moderation.deletedAccount"),
      ...(isTweet ? { tweet: tweetLink(words, subject.tweet) } : {}),
    }),
    note,
    ...presentTime(words, stamp, now),
  };
}

function tweetLink(words: Translator, id: string): LinkView {
  return { href: `/tweets/${id}`, text: words.t("moderation.tweet", { id }) };
}
