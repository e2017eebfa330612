import {
  audienceOf,
  effectiveAudience,
  isMessage,
  narrower,
} from "../../domain/tweets/audience.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import {
  type Audience,
  audiences,
  type ReplyRight,
  replyRights,
} from "../../domain/users/choices.ts";
import type { MentionedUser, User } from "../../domain/users/store.ts";
import type { Translator } from "../languages/translator.ts";
import { listIn } from "./people.ts";

/** Max names in the words for a message; the other people are counted. */
const namesShown = 3;

/** Whom a tweet is for, in words; undefined for everyone. */
export function presentAudience(words: Translator, tweet: Tweet, author: User): string | undefined {
  const audience = effectiveAudience(tweet, author);
  if (audience === "public") return undefined;
  if (audience !== "mentioned") return words.t(`audience.${audience}`);
  return words.t("audience.only", { people: listPeople(words, tweet.mentions) });
}

function listPeople(words: Translator, people: readonly MentionedUser[] = []): string {
  const names = people.slice(0, namesShown).map(({ name }) => `@${name}`);
  const further = people.length - names.length;
  if (further > 0) names.push(words.t("audience.further", words.counted(further)));
  return names.length === 0 ? words.t("audience.author") : listIn(words).format(names);
}

/** A tweet and its author. */
interface Written {
  tweet: Tweet;
  author: User;
}

/** A tweet that a writer may answer; `isLimited`: not everyone may. */
export interface Answerable extends Written {
  isLimited: boolean;
}

/** What a composer lets its writer choose; without audiences nothing. */
export interface AudienceChoices {
  audiences: readonly Audience[];
  audience: Audience;
  repliesFrom: ReplyRight;
  /** The answered tweet, if it narrows its answers. */
  narrowedBy?: Written | undefined;
  /** Whether not everyone may reply to what is answered, and so to the answer. */
  isLimited?: boolean;
}

/** Of a message, whose people are known already. */
export const noChoices: AudienceChoices = {
  audiences: [],
  audience: "mentioned",
  repliesFrom: "everyone",
};

/** For a new tweet, or the answer to a tweet by `author`: an answer has at most its audience. */
export function choicesFor(writer: User, answered?: Answerable): AudienceChoices {
  const limit = answered ? effectiveAudience(answered.tweet, answered.author) : "public";
  const widest = writer.protected ? narrower(limit, "followers") : limit;
  return {
    audiences: audiences.slice(audiences.indexOf(widest)),
    audience: narrower(writer.audience, widest),
    repliesFrom: writer.repliesFrom,
    narrowedBy: limit === "public" ? undefined : answered,
    isLimited: answered?.isLimited === true,
  };
}

/** For an edit, which only narrows, and makes no message. */
export function choicesToEdit(tweet: Tweet): AudienceChoices {
  const audience = audienceOf(tweet);
  const narrowed = audiences.slice(audiences.indexOf(audience));
  return {
    audiences: isMessage(tweet) ? [] : narrowed.filter((one) => one !== "mentioned"),
    audience,
    repliesFrom: tweet.repliesFrom ?? "everyone",
  };
}

/** The fields of a composer: its choices, what was typed, and what a reply inherits. */
export function presentChoices(
  words: Translator,
  { audiences: values, audience, repliesFrom, narrowedBy, isLimited = false }: AudienceChoices,
  typed: Record<string, string | undefined>,
  writer: User,
) {
  return {
    // A single value is no choice.
    audiences: values.length > 1 ? values : [],
    audience: values.find((value) => value === typed["audience"]) ?? audience,
    replyRights: values.length > 1 ? replyRights : [],
    repliesFrom: replyRights.find((value) => value === typed["replies_from"]) ?? repliesFrom,
    hints: [
      ...(narrowedBy ? [presentInherited(words, narrowedBy, writer)] : []),
      ...(isLimited ? [words.t("compose.limited")] : []),
    ],
  };
}

/** What an answer to this tweet inherits. */
function presentInherited(words: Translator, { tweet, author }: Written, writer: User): string {
  const audience = effectiveAudience(tweet, author);
  const group = [{ id: author.id, name: author.name }, ...(tweet.mentions ?? [])];
  const people = group.filter(({ id }) => id !== writer.id);
  return words.t("compose.inherited", { audience, people: listPeople(words, people) });
}
