import { LinkifyIt } from "linkify-it";
import type { Ctx } from "../../context.ts";
import { type Problem, Invalid } from "../errors.ts";
import { memo } from "../memo.ts";
import { siteUrl } from "../site-url.ts";
import { cleanLine, cleanText, fitsGraphemes, isBlank } from "../users/display-text.ts";
import { foldName } from "../users/store.ts";

/** In graphemes: characters as a person counts them. */
export const textLimit = 280;
/** Max graphemes of a content warning, which count within textLimit, too. */
export const warningLimit = 100;

/** A text with "@name" in the place of "@name@host", if that is the host of this site: apps write a local name so. */
export function shortenMentions({ config }: Pick<Ctx, "config">, text: string): string {
  return text.replaceAll(fullMentions(config), "$1");
}

const fullMentions = memo((config: Ctx["config"]): RegExp => {
  const host = new URL(siteUrl({ config }, "/")).host.replaceAll(/[^a-z0-9]/gi, String.raw`\$&`);
  const full = String.raw`${mentionStart}([@＠]${nameLetter}{1,15})[@＠]${host}(?![A-Za-z0-9_-]|\.[A-Za-z0-9])`;
  return new RegExp(full, "gi");
});

/** The text as it will be stored, with a problem if it must not be. */
export function checkText(
  raw: string,
  { mayBeEmpty = false } = {},
): { text: string; problem: Problem | undefined } {
  const text = cleanText(raw);
  if (isBlank(text)) return { text, problem: mayBeEmpty ? undefined : "text.empty" };
  return { text, problem: fitsGraphemes(text, textLimit) ? undefined : "text.long" };
}

/** The text and its content warning as they will be stored, with a problem beside each field that has one. */
export function checkWarned(
  raw: { text: string; warning?: string | undefined },
  options: { mayBeEmpty?: boolean } = {},
): { text: string; warning: string | undefined; problems: Record<string, Problem> } {
  const { text, problem } = checkText(raw.text, options);
  const line = cleanLine(raw.warning ?? "");
  const warning = isBlank(line) ? undefined : line;
  const problems: Record<string, Problem> = problem === undefined ? {} : { text: problem };
  if (warning === undefined) return { text, warning, problems };
  if (!fitsGraphemes(warning, warningLimit)) problems["warning"] = "warning.long";
  // A line feed between them, so that no characters of both join.
  else if (!fitsGraphemes(`${warning}\n${text}`, textLimit + 1)) problems["text"] ??= "text.long";
  return { text, warning, problems };
}

/** A piece of a tweet's text. All pieces joined are the whole text. */
export type Entity =
  | { kind: "plain"; text: string }
  | { kind: "link"; text: string; url: string }
  /** `name` is folded; there may be no user with this name. */
  | { kind: "mention"; text: string; name: string }
  /** `tag` is folded. */
  | { kind: "hashtag"; text: string; tag: string };

type Found = Exclude<Entity, { kind: "plain" }> & { index: number };

const linkify = new LinkifyIt({
  fuzzyLink: false,
  fuzzyEmail: false,
  urlAuth: true,
  maxLength: 2048,
})
  .add("ftp:", null)
  .add("mailto:", null)
  .add("//", null);

/** Letters that continue a hashtag, in any script. */
const letter = String.raw`[\p{L}\p{M}\p{N}_\u200C]`;
/** Both cases are listed: the flag "i" would also match the Kelvin sign as a K. */
const nameLetter = "[A-Za-z0-9_]";
const mentionStart = "(?<![A-Za-z0-9_@＠/.])";
const mention = String.raw`${mentionStart}[@＠](?<name>${nameLetter}{1,15})(?!${nameLetter}|[@＠])`;
/** At most 50 letters, not only digits: "#1" is a position in a list. */
const tagLetters = String.raw`(?=[\p{M}\p{N}_]{0,49}\p{L})${letter}{1,50}`;
const hashtag = String.raw`(?<![\p{L}\p{M}\p{N}_&#＃/])[#＃](?<tag>${tagLetters})(?!${letter})`;
/** Every repetition is bounded, so the time is linear. */
const named = new RegExp(`${mention}|${hashtag}`, "gu");
const wholeTag = new RegExp(`^${tagLetters}$`, "u");

/** The pieces of a text: http(s) links, @names, #tags, and the text between them. */
export function parseEntities(text: string): Entity[] {
  const entities: Entity[] = [];
  let end = 0;
  // At the same place a link wins: a tag inside it is part of the address.
  const spans = [...linksIn(text), ...namesIn(text)];
  for (const { index, ...entity } of spans.toSorted((one, other) => one.index - other.index)) {
    if (index < end) continue;
    if (index > end) entities.push({ kind: "plain", text: text.slice(end, index) });
    entities.push(entity);
    end = index + entity.text.length;
  }
  if (end < text.length) entities.push({ kind: "plain", text: text.slice(end) });
  return entities;
}

/** The form in which hashtags are compared; undefined if it is not a hashtag. */
export function foldTag(raw: string): string | undefined {
  const [entity, ...rest] = parseEntities(`#${raw.replace(/^[#＃]/, "")}`);
  return entity?.kind === "hashtag" && rest.length === 0 ? entity.tag : undefined;
}

/** Folded hashtags of a text, without duplicates. */
export function hashtagsIn(text: string): string[] {
  const tags = parseEntities(text).flatMap((one) => (one.kind === "hashtag" ? [one.tag] : []));
  return [...new Set(tags)];
}

/** Folded names mentioned in a text, without duplicates. */
export function mentionsIn(text: string): string[] {
  const names = parseEntities(text).flatMap((one) => (one.kind === "mention" ? [one.name] : []));
  return [...new Set(names)];
}

function linksIn(text: string): Found[] {
  return (linkify.match(text) ?? [])
    .filter(({ url }) => isWeb(url))
    .map(({ index, raw, url }) => ({ kind: "link", index, text: raw, url }));
}

/** Addresses with a user name or password are matched whole but not linked: they are meant to mislead. */
function isWeb(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

function namesIn(text: string): Found[] {
  return [...text.matchAll(named)].flatMap((match): Found[] => {
    const { index, groups } = match;
    const [spelled] = match;
    const name = groups?.["name"];
    if (name !== undefined)
      return [{ kind: "mention", index, text: spelled, name: foldName(name) }];
    const folded = foldLetters(groups?.["tag"] ?? "");
    // Some letters fold into whole sentences, which are no tags.
    return wholeTag.test(folded) ? [{ kind: "hashtag", index, text: spelled, tag: folded }] : [];
  });
}

/** Folds until nothing changes: lower-case letters may combine where capitals did not. */
function foldLetters(tag: string): string {
  return tag.normalize("NFKC").toLowerCase().normalize("NFKC");
}

/** A language of two or three letters, and at most one part of it: "en", "pt-BR", "zh-Hant". */
const languageForm = /^([a-z]{2,3})(?:[-_]([a-z0-9]{2,8}))?$/i;
/** Tag of a text whose language is not known. */
const unknownLanguage = "und";

/**
 * The language of a tweet as it will be stored, a tag of BCP 47. Without a tag it stays as it was `before`; "und"
 * takes it away. Throws Invalid beside `language`.
 */
export function acceptLanguage(typed: string | undefined, before?: string): string | undefined {
  const raw = typed?.trim() ?? "";
  if (raw === "") return before;
  const tag = parseLanguage(raw);
  if (tag === undefined) throw new Invalid({ language: "language.format" });
  return tag === unknownLanguage ? undefined : tag;
}

/** In the usual spelling, the shortest there is: "jpn" is "ja". Undefined if it is no tag. */
export function parseLanguage(raw: string): string | undefined {
  const [, language = "", part = ""] = languageForm.exec(raw) ?? [];
  // Three letters name a language within another one, and are a tag of their own: "zh-yue" is "yue".
  const tag = part === "" ? language : /^[a-z]{3}$/i.test(part) ? part : `${language}-${part}`;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}
