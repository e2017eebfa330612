import type { Request, Response } from "express";

const streamType = "text/vnd.turbo-stream.html";

/**
 * Whether the script of the site asks: it puts what has changed into the page as it stands, and takes
 * a redirect where there is nothing to put. Everybody else is led on.
 */
export function acceptsStream(req: Request): boolean {
  return req.accepts(["text/html", streamType]) === streamType;
}

/** Answers with a template of turbo-stream elements. */
export function renderStream(res: Response, view: string, locals: object): void {
  res.vary("Accept");
  res.type(streamType).render(view, locals);
}
