import { randomUUID, type UUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Request, Response } from "express";
import { KeptList } from "../../domain/feeds/kept-list.ts";
import { recordedApart } from "../../domain/scope.ts";
import type { Reader } from "../languages/translator.ts";
import { cacheAnswer } from "./cached-answers.ts";

/** Begins a mark of a place in a page that is being rendered. Random and never sent, so users cannot type it. */
const mark = `place-${randomUUID()}-`;
/** Finds marks; split by it, a text has the name of a place between each two pieces. */
const marks = new RegExp(`${mark}(\\w+)\\.`);

/** Values for the template of a page with a timeline, and its rendered items. */
type TimelinePage = { timeline: Buffer[]; [local: string]: unknown };

/** A rendered page: pieces of text, and between them the names of places. */
interface Rendered {
  /** What it was rendered from. */
  values: Record<string, unknown>;
  pieces: (Uint8Array | string)[];
  bytes: number;
}

/** What is put into a page after its template has printed marks. */
class Places {
  readonly #fillings = new Map<string, Buffer[]>();

  /** The mark of a place for this. Nothing is escaped: items are rendered, and values are numbers. */
  markOf(name: string, ...filling: Buffer[]): string {
    this.#fillings.set(name, filling);
    return `${mark}${name}.`;
  }

  /** Throws if nothing is known of a place. */
  fill(pieces: Rendered["pieces"]): Buffer {
    const parts = pieces.flatMap<Uint8Array>((piece) => {
      const filling = typeof piece === "string" ? this.#fillings.get(piece) : [piece];
      if (filling === undefined) throw new Error(`nothing for the place ${String(piece)}`);
      return filling;
    });
    return Buffer.concat(parts);
  }
}

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
  const places = new Places();
  const { pieces } = await renderPieces(res, view, page, places);
  res.type("html").send(places.fill(pieces));
}

/**
 * Sends a page whose timeline changes often: while its frame is the same (session, viewer, site, navigation), `make`
 * alone makes the page anew, without its handler, from the items that are still the same and new ones. So `make` holds
 * neither request nor response. If nothing but the timeline and what is `late` has changed, not even the template runs.
 * Where a limit counts the page, its handler makes each, as `make` alone counts nothing.
 */
export async function renderFeed<Who extends Reader>(
  res: Response,
  view: string,
  reader: Who,
  make: (reader: Who) => Promise<TimelinePage>,
): Promise<void> {
  const { recording, began: _, addFrame: _made, ...frame } = res.locals;
  const { app } = res;
  const list = new KeptList();
  let last: Rendered | undefined;
  const remake = async () => {
    list.begin();
    const places = new Places();
    const late = (value: number | UUID, name: string) =>
      places.markOf(name, Buffer.from(String(value)));
    const page = await make({ ...reader, kept: list, late });
    const rendered = await renderPieces({ app, locals: frame }, view, page, places, last);
    if (frame.isCounted !== true) last = rendered;
    return places.fill(rendered.pieces);
  };
  const content = recording?.beside();
  const bytes = () => list.bytes + (last?.bytes ?? 0);
  if (content !== undefined) res.locals.content = { recording: content, bytes, remake };
  const html = await recordedApart(content, remake);
  cacheAnswer(res);
  res.type("html").send(html);
}

/**
 * Renders a page with marks. In the place of its timeline are items that were rendered and escaped by their own template
 * (layout/timeline.ts). Throws if the page has no place for them. `last`: the same page, of other values or the same.
 */
async function renderPieces(
  res: Pick<Response, "app" | "locals">,
  view: string,
  { timeline, ...values }: TimelinePage,
  places: Places,
  last?: Rendered,
): Promise<Rendered> {
  const items = timeline.length === 0 ? undefined : places.markOf("timeline", ...timeline);
  const shown = { ...values, timeline: items };
  if (last !== undefined && isDeepStrictEqual(shown, last.values)) return last;
  const html = await htmlOf(res, view, shown);
  if (items !== undefined && !html.includes(items)) throw new Error(`${view} prints no timeline`);
  // Encoded one by one: pieces of one large Buffer would keep all of it.
  const encoder = new TextEncoder();
  const pieces = html
    .split(marks)
    .map((piece, nth) => (nth % 2 === 0 ? encoder.encode(piece) : piece));
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  return { values: shown, pieces, bytes };
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

/** True if the site's script asks, which changes its page or follows a redirect. Other clients are redirected. */
export function acceptsStream(req: Request): boolean {
  return req.accepts(["text/html", streamType]) === streamType;
}

export function renderStream(res: Response, view: string, locals: object): void {
  res.vary("Accept");
  res.type(streamType).render(view, locals);
}
