import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import { KeptList } from "../../domain/feeds/kept-list.ts";
import { recordedApart } from "../../domain/scope.ts";
import type { Reader } from "../languages/translator.ts";
import { cacheAnswer } from "./cached-answers.ts";

/** Mark for a timeline in a page that is being rendered. Random and never sent, so users cannot type it. */
const mark = `timeline-${randomUUID()}`;

/** Values for the template of a page with a timeline, and its rendered items. */
type TimelinePage = { timeline: Buffer[]; [local: string]: unknown };

/**
 * Sends a page with a timeline, made for this request; once anything in it has changed, it is rendered by its handler
 * again. `isKept`: false for a page that depends on more than its address and its reader.
 */
export async function renderTimeline(
  res: Response,
  view: string,
  page: TimelinePage,
  { isKept = true } = {},
): Promise<void> {
  if (isKept) cacheAnswer(res);
  res.type("html").send(await timelineHtml(res, view, page));
}

/**
 * Sends a page whose timeline changes often: while its frame is the same (session, viewer, site, navigation), `make`
 * alone makes the page anew, without its handler, from the items that are still the same and new ones. So `make` holds
 * neither request nor response. Where a limit counts the page, its handler makes each, as `make` alone counts nothing.
 */
export async function renderFeed<Who extends Reader>(
  res: Response,
  view: string,
  reader: Who,
  make: (reader: Who) => Promise<TimelinePage>,
): Promise<void> {
  const { recording, began: _, ...frame } = res.locals;
  const { app } = res;
  const list = new KeptList();
  const remake = async () => {
    list.begin();
    return await timelineHtml({ app, locals: frame }, view, await make({ ...reader, kept: list }));
  };
  const content = recording?.beside();
  if (content !== undefined)
    res.locals.content = { recording: content, bytes: () => list.bytes, remake };
  const html = await recordedApart(content, remake);
  cacheAnswer(res);
  res.type("html").send(html);
}

/**
 * Renders a page with a mark, and puts the items of its timeline there: they were rendered and escaped by their own
 * template (layout/timeline.ts). Throws if the page has no place for them.
 */
async function timelineHtml(
  res: Pick<Response, "app" | "locals">,
  view: string,
  { timeline, ...values }: TimelinePage,
): Promise<Buffer> {
  const page = await htmlOf(res, view, {
    ...values,
    timeline: timeline.length === 0 ? undefined : mark,
  });
  const [head = "", tail] = page.split(mark);
  if (tail === undefined && timeline.length > 0) throw new Error(`${view} prints no timeline`);
  return Buffer.concat([Buffer.from(head), ...timeline, Buffer.from(tail ?? "")]);
}

/** A page as text. Rejects if it cannot be rendered. */
export async function htmlOf(
  { app, locals }: Pick<Response, "app" | "locals">,
  view: string,
  values: object,
): Promise<string> {
  return await new Promise((resolve, reject) => {
    app.render(view, { ...values, _locals: locals }, (error: Error | null, html?: string) => {
      if (html === undefined) reject(error ?? new Error(`${view} rendered nothing`));
      else resolve(html);
    });
  });
}

const streamType = "text/vnd.turbo-stream.html";

/**
 * True if the site's script sent the request. The script applies changes to the current page, or
 * follows a redirect. Other clients are always redirected.
 */
export function acceptsStream(req: Request): boolean {
  return req.accepts(["text/html", streamType]) === streamType;
}

/** Answers with a template of turbo-stream elements. */
export function renderStream(res: Response, view: string, locals: object): void {
  res.vary("Accept");
  res.type(streamType).render(view, locals);
}
