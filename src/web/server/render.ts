import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Request, Response } from "express";
import { cacheAnswer } from "./cached-answers.ts";

/** Mark for a timeline in a page that is being rendered. Random and never sent, so users cannot type it. */
const mark = `timeline-${randomUUID()}`;

/**
 * Sends a page with a timeline. The page is rendered with a mark, which is then replaced by the list
 * items. Those were rendered and escaped by their own template (layout/timeline.ts). `isKept`: false for a page that
 * depends on more than its address and its reader.
 */
export function renderTimeline(
  res: Response,
  view: string,
  { timeline, ...locals }: { timeline: Buffer[]; [local: string]: unknown },
  { isKept = true } = {},
): void {
  if (isKept) cacheAnswer(res);
  const marked = { ...locals, timeline: timeline.length === 0 ? undefined : mark };
  res.render(view, marked, (error: Error | null, page?: string) => {
    if (error !== null || page === undefined) {
      res.req.next?.(error ?? new Error(`${view} rendered nothing`));
      return;
    }
    const start = page.indexOf(mark);
    const [head, tail] =
      start === -1 ? [page, ""] : [page.slice(0, start), page.slice(start + mark.length)];
    res.type("html").send(Buffer.concat([Buffer.from(head), ...timeline, Buffer.from(tail)]));
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
