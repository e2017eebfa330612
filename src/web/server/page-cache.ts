import type { Response } from "express";
import { LRUCache } from "lru-cache";
import { readingDeadline, recorded, Recording } from "../../domain/scope.ts";
import { type Answer, answerAgain, answerOf, compressBetter, sendAnswer } from "./compress.ts";

/** The part of a page that changes often, see renderFeed. */
export interface Content {
  /** Its inputs. */
  recording: Recording;
  /** Estimated bytes of what `remake` keeps. */
  bytes: () => number;
  /** The page again, with the same frame and new content. */
  remake: () => Promise<Buffer>;
}

interface Page {
  /** As it was sent, or compressed better. */
  answer: Answer;
  /** Inputs of the page but for those of its `content`. */
  recording: Recording;
  content?: Content | undefined;
  /** False if it must be made in full each time, as a limit counts that. */
  isRemadeAlone: boolean;
  /** Counts another sending of the page against the client's rate limit, if there is one. */
  countRepeat: Express.Locals["countRepeat"];
  /** By performance.now(). */
  madeAt: number;
  /** True after the attempt to compress it better. */
  triedBetter: boolean;
  /** The route that made it, for the metrics. */
  route: unknown;
}

const noHeaders: ReadonlyMap<string, string> = new Map();
/** Estimated bytes of a page's headers, frame and list of dependencies. */
const overheadBytes = 9000;
/** Milliseconds; a page that stayed valid for longer is worth better compression. */
const minValid = 1000;
/** Milliseconds; max wait for a page that another request is rendering. */
const maxWait = 100;
/** Finished pages, sent again unchanged until one of their dependencies changes. */
export class KeptPages {
  readonly #pages: LRUCache<string, Page>;
  readonly #underWay = new Map<string, Promise<void>>();
  /** Names of pages whose content is being remade. */
  readonly #remaking = new Set<string>();
  readonly #now: () => number;
  #made = 0;
  #sent = 0;
  #remade = 0;

  /** `bytes`: max of all pages together. `now`: the site's clock. */
  constructor(bytes: number, now: () => number) {
    this.#now = now;
    this.#pages = new LRUCache({
      maxSize: Math.max(bytes, 1),
      maxEntrySize: Math.max(1, Math.ceil(bytes / 20)),
      sizeCalculation: ({ answer: { text }, content }, name) =>
        overheadBytes + text.length + 2 * name.length + (content?.bytes() ?? 0),
    });
  }

  /** Sends the page if it is still valid. Returns whether it was sent. */
  async send(name: string, res: Response): Promise<boolean> {
    const page = this.#pages.get(name);
    if (page === undefined || !isGood(page, this.#now())) return false;
    const counted = page.countRepeat === undefined ? noHeaders : await page.countRepeat(res.req);
    // What the page shows may have been hidden while the client was counted: then it is counted once more.
    if (counted === undefined || !isGood(page, this.#now())) return false;
    res.req.route = page.route;
    // Read after the wait, in which the page may have been compressed better.
    sendAnswer(res, page.answer, [...counted].flat());
    this.#sent += 1;
    if (!page.triedBetter && performance.now() - page.madeAt > minValid) void compressAgain(page);
    return true;
  }

  /**
   * Makes the content of a page anew and sends the page, if its frame is still valid. False if that is not possible, or
   * was not within `milliseconds`, or another request is doing it; then nothing was sent. A page whose new content
   * could not be kept is made in full the next time.
   */
  async refresh(name: string, res: Response, milliseconds: number): Promise<boolean> {
    const page = this.#pages.get(name);
    // It may have closed while it waited for another request.
    if (res.closed) return true;
    if (page?.content === undefined || !page.isRemadeAlone || this.#remaking.has(name))
      return false;
    if (!page.recording.isGood(this.#now())) return false;
    res.req.route = page.route;
    this.#begin(name, res);
    this.#remaking.add(name);
    const { bytes, remake } = page.content;
    const recording = new Recording(this.#now());
    const html = await whileAwaited(res, milliseconds, recording, remake);
    this.#remaking.delete(name);
    if (res.closed) return true;
    const content = { recording, bytes, remake };
    // The right to read it may have ended meanwhile.
    const isSent = html !== undefined && page.recording.isGood(this.#now());
    if (isSent) {
      const answer = answerAgain(res.req, page.answer, html);
      this.#store(name, { ...page, content, answer });
      sendAnswer(res, answer);
      this.#remade += 1;
    }
    if (this.#pages.peek(name) === page) this.#pages.delete(name);
    return isSent;
  }

  /** Resolves when another request has rendered the page, after maxWait at the latest. Undefined if none is doing so. */
  wait(name: string): Promise<void> | undefined {
    const underWay = this.#underWay.get(name);
    return underWay && inTime(underWay, maxWait);
  }

  /** Keeps what `res` sends, if it is a complete page that may be kept. */
  watch(name: string, res: Response, recording: Recording): void {
    // Others wait only for a page that was kept before.
    if (this.#pages.has(name) && !res.closed) this.#begin(name, res);
    const end = res.end.bind(res) as (...args: unknown[]) => typeof res;
    res.end = (...args: unknown[]) => {
      const [body] = args;
      const isWhole = !res.headersSent && Buffer.isBuffer(body) && res.statusCode === 200;
      const ended = end(...args);
      const { kept, countRepeat, content, isCounted } = res.locals;
      if (isWhole && kept === true && !res.hasHeader("set-cookie")) {
        const answer = answerOf(res, body);
        const isRemadeAlone = isCounted !== true && countRepeat === undefined;
        const route: unknown = res.req.route;
        this.#store(name, { answer, recording, content, isRemadeAlone, countRepeat, route });
        this.#made += 1;
      }
      return ended;
    };
  }

  #begin(name: string, res: Response): void {
    const closed = new Promise<void>((resolve) => {
      res.once("close", () => {
        if (this.#underWay.get(name) === closed) this.#underWay.delete(name);
        resolve();
      });
    });
    this.#underWay.set(name, closed);
  }

  /** Keeps a page that was made now. */
  #store(name: string, page: Omit<Page, "madeAt" | "triedBetter">): void {
    if (!isGood(page, this.#now())) return;
    this.#pages.set(name, { ...page, madeAt: performance.now(), triedBetter: false });
    this.#underWay.delete(name);
  }

  stats(): { made: number; sent: number; remade: number; bytes: number } {
    const [made, sent, remade] = [this.#made, this.#sent, this.#remade];
    return { made, sent, remade, bytes: this.#pages.calculatedSize };
  }
}

function isGood({ recording, content }: Pick<Page, "recording" | "content">, now: number) {
  return recording.isGood(now) && (content === undefined || content.recording.isGood(now));
}

/** Undefined if the work fails or takes longer. */
async function inTime<Result>(work: Promise<Result>, milliseconds: number) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  return await Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer));
}

/** Undefined if the work fails, takes longer or loses its client; then it asks Redis for no more. */
async function whileAwaited<Result>(
  res: Response,
  milliseconds: number,
  recording: Recording,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const deadline = readingDeadline();
  const pass = () => void (deadline.passed = true);
  res.once("close", pass);
  const result = await inTime(recorded(recording, work, deadline), milliseconds);
  res.off("close", pass);
  if (result === undefined) pass();
  return result;
}

async function compressAgain(page: Page): Promise<void> {
  page.triedBetter = true;
  const { answer } = page;
  const smaller = await compressBetter(answer.encoding, Buffer.from(answer.text, "latin1"));
  if (smaller !== undefined) page.answer = { ...answer, text: smaller.toString("latin1") };
}
