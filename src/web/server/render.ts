import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Request, Response } from "express";
import { recordedApart } from "../../domain/scope.ts";
import { cacheAnswer } from "./cached-answers.ts";

/** Mark for a timeline in a page that is being rendered. Random and never sent, so users cannot type it. */
const mark = `timeline-${randomUUID()}`;

/** Values for the template of a page with a timeline, and its rendered items. */
type TimelinePage = { timeline: Buffer[]; [local: string]: unknown };

/**
 * Sends a page with a timeline. The page is rendered with a mark, which is then replaced by the list
 * items. Those were rendered and escaped by their own template (layout/timeline.ts). `isKept`: false for a page that
 * depends on more than its address and its reader.
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
 * The same for a page that changes often. As long as its frame is the same (session, viewer, site, navigation), `make`
 * alone makes it anew. So `make` holds neither request nor response, and its work counts against no limit.
 */
export async function renderFeed(
  res: Response,
  view: string,
  make: () => Promise<TimelinePage>,
): Promise<void> {
  const { recording, began: _, ...frame } = res.locals;
  const { app } = res;
  const remake = async () => await timelineHtml({ app, locals: frame }, view, await make());
  const content = recording?.beside();
  if (content !== undefined) res.locals.content = { recording: content, remake };
  const html = await recordedApart(content, remake);
  cacheAnswer(res);
  res.type("html").send(html);
}

async function timelineHtml(
  res: Pick<Response, "app" | "locals">,
  view: string,
  { timeline, ...values }: TimelinePage,
): Promise<Buffer> {
  const page = await htmlOf(res, view, {
    ...values,
    timeline: timeline.length === 0 ? undefined : mark,
  });
  const start = page.indexOf(mark);
  const [head, tail] =
    start === -1 ? [page, ""] : [page.slice(0, start), page.slice(start + mark.length)];
  return Buffer.concat([Buffer.from(head), ...timeline, Buffer.from(tail)]);
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

/** Version of this Suzume. */
export const { version } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
) as { version: string };
