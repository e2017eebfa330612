import { randomUUID } from "node:crypto";
import type { Response } from "express";
import { mayBeKept } from "./middleware/kept-pages.ts";

/** Mark for a timeline in a page that is being rendered. Random and never sent, so users cannot type it. */
const place = `timeline-${randomUUID()}`;

/**
 * Sends a page with a timeline. The page is rendered with a mark, which is then replaced by the list
 * items. Those were rendered and escaped by their own template (present/timeline.ts).
 */
export function renderTimeline(
  res: Response,
  view: string,
  { timeline, ...locals }: { timeline: Buffer[]; [local: string]: unknown },
): void {
  mayBeKept(res);
  const marked = { ...locals, timeline: timeline.length === 0 ? undefined : place };
  res.render(view, marked, (error: Error | null, page?: string) => {
    if (error !== null || page === undefined) {
      res.req.next?.(error ?? new Error(`${view} rendered nothing`));
      return;
    }
    const start = page.indexOf(place);
    const [head, tail] =
      start === -1 ? [page, ""] : [page.slice(0, start), page.slice(start + place.length)];
    res.type("html").send(Buffer.concat([Buffer.from(head), ...timeline, Buffer.from(tail)]));
  });
}
