import type { Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";
import { type Languages, scriptWords, type Translator } from "../languages/translator.ts";
import { viewerOf } from "./reader.ts";
import { cookieIn } from "./session.ts";

/** Cookie with the language chosen by a signed-out reader. */
export const languageCookie = "language";

/** Chooses the language: the reader's choice, else the browser's. */
export function language(languages: Languages): RequestHandler {
  return (req, res, next) => {
    res.locals.languages = languages.named;
    const tag = askedIn(req, languages);
    res.locals.publicWords = languages.words(tag);
    setTranslator(res, languages.words(chosenIn(req, languages) ?? tag));
    next();
  };
}

/** Applies the language from the settings of a signed-in user. */
export function languageOfViewer(languages: Languages): RequestHandler {
  return (_req, res, next) => {
    const chosen = viewerOf(res)?.language ?? "";
    if (chosen !== "") setTranslator(res, languages.words(chosen));
    next();
  };
}

function setTranslator({ locals }: Response, words: Translator): void {
  locals.words = words;
  locals.t = words.t.bind(words);
  locals.scriptWords = scriptWords(words);
}

function chosenIn(req: Request, { tags }: Languages): string | undefined {
  const chosen = cookieIn(req, languageCookie);
  return tags.find((tag) => tag === chosen);
}

/** Language for a reader whose account has none; empty for the fallback. */
export function languageFor(req: Request, languages: Languages): string {
  return chosenIn(req, languages) ?? askedIn(req, languages) ?? "";
}

/** By the languages of the site and the header Accept-Language; empty if they have none in common. */
const preferred = new LRUCache<string, string>({ max: 500 });

function askedIn(req: Request, { tags }: Languages): string | undefined {
  const key = `${tags.join()} ${req.headers["accept-language"] ?? ""}`;
  const known = preferred.get(key);
  const best = known ?? (req.acceptsLanguages(tags) || "");
  if (known === undefined) preferred.set(key, best);
  return best === "" ? undefined : best;
}
