import { z } from "zod";
import {
  parseTweetId,
  parseUploadId,
  type TweetId,
  type UploadId,
  parseStamp,
} from "../../../domain/ids.ts";
import { type Problems, Invalid } from "../../../domain/errors.ts";
import { picturesAtMost } from "../../../domain/pictures/picture.ts";
import { memo } from "../../../domain/memo.ts";
import { choicesAtMost, type NewPoll, pollSeconds } from "../../../domain/tweets/poll.ts";
import { parseEntities, textLimit } from "../../../domain/tweets/text.ts";
import type { Tweet } from "../../../domain/tweets/tweet.ts";
import { audiences, replyRights } from "../../../domain/users/choices.ts";
import type { User } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";
import { type AudienceChoices, presentChoices } from "../../layout/audience.ts";
import { type Form, formOf, nonce, several, showForm } from "../../layout/form.ts";
import { presentDuration } from "../../layout/time.ts";

/** Fields of the descriptions: of as many pictures as a form can show, and as many as it can add. */
export const descriptionFields = Array.from({ length: 2 * picturesAtMost }, (_, nth) =>
  descriptionField(nth + 1),
);

/** Field of the description of a picture, counted from 1. */
export function descriptionField(number: number): string {
  return `description_${number}`;
}

const tweetId = z.string().transform(parseTweetId);

/** What every composer sends; without a choice of whom a tweet is for and who may reply, neither of these. */
const written = {
  writer: z.string().optional(),
  text: z.string(),
  warning: z.string().optional(),
  sensitive: z.literal("on").optional(),
  audience: z.enum(audiences).optional(),
  replies_from: z.enum(replyRights).optional(),
};

const choiceFields = Array.from({ length: choicesAtMost }, (_, nth) => `choice_${nth + 1}`);
const offered = pollSeconds.map(String);
/** How long a poll is open unless its author chooses, in seconds. */
const usual = "86400";

/** How long a poll can be open, in words. They are costly to make, and every composer has them. */
const durationsIn = memo((words: Translator) =>
  Object.fromEntries(offered.map((value) => [value, durationOf(words, value)])),
);

function durationOf(words: Translator, value: string): string {
  return presentDuration(words, Number(value) * 1000);
}

/** A poll; without choices there is none. */
const poll = {
  ...Object.fromEntries(choiceFields.map((field) => [field, z.string().optional()])),
  poll_seconds: z.string().optional(),
  poll_several: z.literal("on").optional(),
  ask_poll: z.string().optional(),
};

type Typed = Readonly<Record<string, string | undefined>>;

const hasChoices = (typed: Typed) =>
  choiceFields.some((field) => (typed[field] ?? "").trim() !== "");

/** The poll that a form asks for. Throws Invalid for the button that only wants its fields. */
export function pollIn(typed: Typed): NewPoll | undefined {
  if (typed["ask_poll"] !== undefined) throw new Invalid({ poll: "poll.ask" });
  if (!hasChoices(typed)) return undefined;
  const choices = choiceFields.map((field) => typed[field] ?? "");
  const seconds = Number(typed["poll_seconds"] ?? usual);
  return { choices, seconds, several: typed["poll_several"] === "on" };
}

/** Those fields filled with a poll. */
export function pollFields(asked: NewPoll | undefined): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(choiceFields.map((field, nth) => [field, asked?.choices[nth]])),
    poll_seconds: asked && String(asked.seconds),
    poll_several: asked?.several === true ? "on" : undefined,
  };
}

/** `reply_to` may be any text: the domain checks it. */
export const tweetForm = {
  action: "/tweets",
  fields: ["text", "warning", "pictures", ...descriptionFields, ...choiceFields, "poll"],
  hidden: ["reply_to", "nonce", "writer"],
  schema: z.object({ ...written, ...poll, reply_to: tweetId.optional(), nonce }),
} satisfies Form<unknown>;

export type TweetInput = z.output<typeof tweetForm.schema>;

export const voteForm = formOf("", { fields: { choice: several(z.string()) } });

/** Form of an edit. `seen`: the version that its page shows, see editTweet. */
export function editForm(id: TweetId) {
  return {
    action: `/tweets/${id}/edit`,
    fields: tweetForm.fields.filter((field) => !field.startsWith("choice_") && field !== "poll"),
    hidden: ["seen"],
    schema: z.object({ ...written, seen: z.string().transform(parseStamp).optional() }),
  } satisfies Form<unknown>;
}

/** The fields of a composer filled with what was written. */
export function fieldsOf({
  text,
  warning,
  pictures = [],
  sensitive,
}: Pick<Tweet, "text" | "warning" | "pictures" | "sensitive">) {
  const described = pictures.map(({ description }, nth): [string, string] => [
    descriptionField(nth + 1),
    description,
  ]);
  return {
    ...Object.fromEntries(described),
    text,
    warning,
    uploads: pictures.map(({ id }) => id).join(" "),
    sensitive: sensitive === true ? "on" : undefined,
  };
}

/** The user who writes, whether pictures can be attached, and whom the tweet may be for. */
export interface ComposerOptions {
  writer: User;
  hasStorage: boolean;
  /** Bytes of the writer's pictures and their quota, once that is nearly full. */
  fullness: { bytes: number; quota: number } | undefined;
  choices: AudienceChoices;
}

/** A composer, with what the script needs to show the same problems as the server. */
export type ComposerView = ReturnType<typeof showComposer>;

export function showComposer(
  words: Translator,
  { writer, hasStorage, fullness, choices }: ComposerOptions,
  values: Record<string, string | undefined>,
  problems: Problems = {},
  form: Form<unknown> = tweetForm,
) {
  const kept = uploadsIn(values["uploads"]);
  const fields = ["pictures", ...descriptionFields];
  const isTyped = descriptionFields.some((field) => (values[field] ?? "") !== "");
  return {
    ...showForm(words, form, { ...values, writer: writer.id }, problems),
    /** Key of the draft that public/js/drafts.js keeps: one for each user and tweet; an edit has none. */
    draft: form === tweetForm ? `draft:${writer.name}:${values["reply_to"] ?? ""}` : undefined,
    /** Where its second button keeps it; other forms have no such button. */
    draftsUrl: form === tweetForm ? "/drafts" : undefined,
    limit: textLimit,
    reach: presentChoices(words, choices, values, writer),
    poll: presentPollFields(words, form, values, problems),
    isWarned: (values["warning"] ?? "") !== "" || "warning" in problems,
    pictures: {
      areOff: !hasStorage,
      fullness:
        fullness &&
        words.t("compose.nearlyFull", {
          size: words.size(fullness.bytes),
          most: words.size(fullness.quota),
        }),
      isOpen: kept.length > 0 || isTyped || fields.some((field) => field in problems),
      /** Uploads of an earlier, refused submission. */
      kept,
      /** Fields of the descriptions: of the kept pictures, then of new ones. */
      descriptions: descriptionFields.slice(0, kept.length + picturesAtMost),
      sensitive: values["sensitive"] === "on",
    },
  };
}

/** Undefined in the form of an edit: there the poll stays as it is. */
function presentPollFields(
  words: Translator,
  { fields = [] }: Form<unknown>,
  values: Record<string, string | undefined>,
  problems: Problems,
) {
  if (!fields.includes("poll")) return undefined;
  const chosen = values["poll_seconds"];
  // An app may have chosen another time.
  const isOther = chosen !== undefined && /^\d{1,7}$/.test(chosen) && !offered.includes(chosen);
  return {
    choices: choiceFields,
    isOpen: hasChoices(values) || "poll" in problems,
    // The first field, if the button asked for a poll. That was no mistake: what it says is a hint.
    asked: problems["poll"] === "poll.ask" ? choiceFields[0] : undefined,
    seconds: isOther ? [...offered, chosen] : offered,
    chosen: chosen ?? usual,
    durations: { ...durationsIn(words), ...(isOther && { [chosen]: durationOf(words, chosen) }) },
    several: values["poll_several"] === "on",
  };
}

/** Ids of uploads, separated by spaces or in a list; without anything else. */
export function uploadsIn(raw: unknown): UploadId[] {
  const texts: unknown[] = Array.isArray(raw) ? raw : [raw];
  const words = texts.flatMap((text) => (typeof text === "string" ? text.split(" ") : []));
  return [...new Set(words.flatMap((word) => parseUploadId(word) ?? []))];
}

/** First tweet of this site that a text links to. `tweets` is the prefix of tweet addresses. */
export function quotedIn(text: string, tweets: string): TweetId | undefined {
  for (const entity of parseEntities(text)) {
    if (entity.kind !== "link" || !entity.url.startsWith(tweets)) continue;
    const id = parseTweetId(entity.url.slice(tweets.length).replace(/[?#].*$/, ""));
    if (id !== undefined) return id;
  }
  return undefined;
}
