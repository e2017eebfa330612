import type { Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";
import { Unauthenticated } from "../../domain/errors.ts";
import type { User } from "../../domain/users/store.ts";
import {
  type Languages,
  type Reader,
  scriptWords,
  type SignedInReader,
  type Translator,
} from "../languages/translator.ts";
import { readCursor } from "../layout/form.ts";
import { cookieIn } from "./session.ts";

/** True for paths that always answer in JSON. */
export function isForMachines(path: string): boolean {
  return /^\/(api|nodeinfo|\.well-known|oauth\/(token|revoke|userinfo))(\/|$)/i.test(path);
}

export function viewerOf(res: Response): User | undefined {
  return res.locals.user;
}

/** The signed-in user; throws Unauthenticated, which leads to the log-in page. */
export function requireViewer(res: Response): User {
  const viewer = viewerOf(res);
  if (viewer === undefined) throw new Unauthenticated("signed out");
  return viewer;
}

/** Reader of this answer; the cursor of its list is `?before=STAMP`. */
export function readerOf(res: Response): Reader {
  const before = readCursor(res.req.query["before"]);
  return { viewer: viewerOf(res), words: res.locals.words, before };
}

/** Reader, who must be signed in; throws Unauthenticated. */
export function requireReader(res: Response): SignedInReader {
  return { ...readerOf(res), viewer: requireViewer(res) };
}

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
  const keptTag = preferred.get(key);
  const best = keptTag ?? (req.acceptsLanguages(tags) || "");
  if (keptTag === undefined) preferred.set(key, best);
  return best === "" ? undefined : best;
}
