import type { RequestHandler, Response } from "express";
import { escapeMarkup } from "../present/markup.ts";

/** These pages bring their own script and inline styles. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join(";");

/** Bull Board, which is another Express app, with its own policy, a link back to the desk, and no file of other sites. */
export function framedBoard(board: RequestHandler): RequestHandler {
  return (req, res, next) => {
    res.setHeader("Content-Security-Policy", policy);
    adjustPage(res);
    // The other app replaces the prototypes of request and response.
    const [ofRequest, ofResponse] = [
      Object.getPrototypeOf(req),
      Object.getPrototypeOf(res),
    ] as object[];
    board(req, res, (error?: unknown) => {
      Object.setPrototypeOf(req, ofRequest ?? null);
      Object.setPrototypeOf(res, ofResponse ?? null);
      Reflect.deleteProperty(res, "send");
      next(error);
    });
  };
}

/** Where the board's script puts its page: what stands before it stays. */
const root = '<div id="root">';
/** Fonts of another site, which the policy refuses. The board has fonts of the system as well. */
const foreignFonts = /<link[^>]* href="https:[^>]*>/g;
const style = [
  "position:fixed",
  "inset:auto 1rem 1rem auto",
  "z-index:1000",
  "padding:0.6rem 1rem",
  "border-radius:0.5rem",
  "background:#8f3a12",
  "color:#fff",
  "font:600 1rem system-ui,sans-serif",
].join(";");

/** Changes the board's page before it is sent. */
function adjustPage(res: Response): void {
  const label = escapeMarkup(res.locals.words.t("moderation.back"));
  const link = `<a href="/admin" style="${style}">\u2190 ${label}</a>`;
  const send = res.send.bind(res);
  res.send = (body: unknown) =>
    send(
      typeof body === "string"
        ? body.replaceAll(foreignFonts, "").replace(root, () => `${link}${root}`)
        : body,
    );
}
