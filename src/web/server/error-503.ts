import { ServerResponse } from "node:http";
import type { Request, Response } from "express";
import { safePath } from "../layout/form.ts";
import { defaultName } from "../../domain/site/settings.ts";
import { apiError } from "../layout/api-error.ts";
import { isForMachines } from "../request/reader.ts";
import { type Branding, presentBranding } from "../layout/branding.ts";
import { escapeMarkup } from "../layout/text.ts";
import { type Languages, scriptWords, type Translator } from "../languages/translator.ts";
import { viewOf } from "../layout/templates.ts";

/** Seconds after which a client may try again. */
export const retryAfter = 5;

/** Headers that middleware has set for the answer that is replaced. */
const ofOtherAnswers = ["Content-Disposition", "Content-Encoding", "ETag", "Link", "Location"];

export type OutagePages = ReturnType<typeof outagePagesOf>;

/** The branding of a site whose settings were never read. */
const unknownFace = presentBranding({ name: defaultName, accent: "", logo: "" });

/** Outage answers without Redis, rendered at the start and for the last known branding. Throws if that fails. */
export function outagePagesOf(languages: Languages, assets: Readonly<Record<string, string>>) {
  const view = viewOf({ reloadViews: false }, "errors/error");
  const page = (branding: Branding, words: Translator, how: "read" | "written" | "unsent") =>
    view({
      assets,
      branding,
      words,
      t: words.t.bind(words),
      languages: languages.named,
      scriptWords: scriptWords(words),
      title: words.t("error.503.heading"),
      status: 503,
      heading: words.t("error.503.heading"),
      message: words.t(how === "unsent" ? "error.503.unsent" : "error.503.message"),
      // "" is the requested address.
      retryUrl: how === "read" ? "" : undefined,
      unsent: how === "unsent" ? blanks : undefined,
    });
  const pagesWith = (branding: Branding) =>
    new Map(
      languages.tags.map((tag) => {
        const words = languages.words(tag);
        const [read, written] = [page(branding, words, "read"), page(branding, words, "written")];
        const unsent = blankForm(page(branding, words, "unsent"));
        return [words.language, { read, written, unsent }];
      }),
    );
  // Made anew when an outage meets new branding: once, as nobody can change it meanwhile.
  let shown = JSON.stringify(unknownFace);
  let pages = pagesWith(unknownFace);
  const show = (branding: Branding) => {
    const next = JSON.stringify(branding);
    if (next !== shown) [shown, pages] = [next, pagesWith(branding)];
  };
  return {
    /** Sends 503 and bypasses everything that would write a session or a cookie. */
    answer(req: Request, res: Response): void {
      const { words, branding } = res.locals;
      if (branding !== undefined) show(branding);
      if (isForMachines(req.path)) {
        send(res, 503, "application/json", JSON.stringify(apiError(words, undefined, 503)));
        return;
      }
      const texts = pages.get(words.language);
      const unsent = unsentOf(req, words);
      const isRead = req.method === "GET" || req.method === "HEAD";
      if (texts === undefined) sendPlainText(res, 503);
      else if (unsent !== undefined) send(res, 503, "text/html", texts.unsent(unsent));
      else send(res, 503, "text/html", isRead ? texts.read : texts.written);
    },
  };
}

/** Marks in the rendered page that the submitted form replaces. */
const blanks: Unsent = { action: "blank:action", fields: "blank:fields" };

function blankForm(page: string): (unsent: Unsent) => string {
  const parts = page.split(/blank:(action|fields)/);
  const [before, action, between, fields, after] = parts;
  const isFilled = action === "action" && fields === "fields" && parts.length === 5;
  if (!isFilled) throw new Error("the page of an outage has no place for a form");
  return (unsent) => [before, unsent.action, between, unsent.fields, after].join("");
}

/** Last resort if even the error page fails. */
export function sendPlainText(res: Response, status: number): void {
  if (res.headersSent) res.destroy();
  else send(res, status, "text/plain", status === 503 ? "unavailable\n" : "something went wrong\n");
}

/** Ignores everything that a handler does with `res` from now on: another answer has been sent already. */
export function discardOutput(res: Response): void {
  const silent = () => res;
  res.setHeader = res.removeHeader = res.appendHeader = res.flushHeaders = silent as never;
  res.writeHead = res.write = res.end = res.destroy = silent as never;
}

const nodesEnd = ServerResponse.prototype.end as (this: Response, body: Buffer) => unknown;

/** Uses Node's own methods: the session middleware has replaced those of `res`. */
function send(res: Response, status: number, type: string, text: string): void {
  const body = Buffer.from(text);
  for (const name of [...ofOtherAnswers, "Set-Cookie"]) res.removeHeader(name);
  res.setHeader("Cache-Control", "no-store");
  if (status === 503) res.setHeader("Retry-After", retryAfter);
  res.setHeader("Content-Type", `${type}; charset=utf-8`);
  res.setHeader("Content-Length", body.length);
  ServerResponse.prototype.writeHead.call(res, status);
  nodesEnd.call(res, body);
}

/** Max characters; larger forms are not kept in the page. */
const mostKept = 20_000;
/** Fields that must be typed again each time. */
const secret = /pass|secret|token|code/i;
/** Fields that show what was typed; the others are hidden. */
const shown = /^(text|bio|reason|comment)$/;

/** A form that could not be processed, as markup that sends it again. */
interface Unsent {
  action: string;
  fields: string;
}

/** Undefined if the body is not a form of texts, is too long or contains a secret: pages must not show secrets. */
function unsentOf(req: Request, words: Translator): Unsent | undefined {
  const body: unknown = req.body;
  if (req.method !== "POST" || typeof body !== "object" || body === null) return undefined;
  const pairs = Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map((one: unknown): [string, unknown] => [name, one]),
  );
  const texts = pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const length = texts.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  const isWhole = texts.length === pairs.length && length <= mostKept;
  if (!isWhole || texts.some(([name]) => secret.test(name))) return undefined;
  return {
    action: escapeMarkup(safePath(req.originalUrl)),
    fields: texts.map(([name, text]) => fieldOf(words, name, text)).join(""),
  };
}

function fieldOf(words: Translator, name: string, text: string): string {
  if (shown.test(name)) {
    const label = escapeMarkup(words.t("error.yourText"));
    // HTML drops a line break at the start.
    const area = `<textarea id="${name}" name="${name}" rows="4" dir="auto">\n${escapeMarkup(text)}</textarea>`;
    return `<div class="field"><label for="${name}">${label}</label>${area}</div>`;
  }
  return `<input type="hidden" name="${escapeMarkup(name)}" value="${escapeMarkup(text)}">`;
}
