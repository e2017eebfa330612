import type { Request, Response } from "express";

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
