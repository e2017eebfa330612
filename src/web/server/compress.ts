import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type { Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";

const { constants } = zlib;

type Compress = (body: Buffer) => Buffer;

/** Node has it since 22.15. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: Compress };

/**
 * Best first. A home page of 50 tweets (54 kB) takes 0.06 ms and becomes 5.0 kB with brotli 1; 0.24 ms and 4.2 kB with
 * brotli 4; 0.1 ms and 5.9 kB with gzip 1. zstd takes half the time of brotli 1 and gives 4.6 kB.
 */
const encodings: ReadonlyMap<string, Compress> = new Map<string, Compress>([
  ...(zstdCompressSync ? [["zstd", zstdCompressSync] as const] : []),
  ["br", (body) => zlib.brotliCompressSync(body, { params: brotliParams })],
  ["gzip", (body) => zlib.gzipSync(body, { level: 1 })],
]);

const brotliParams = {
  [constants.BROTLI_PARAM_QUALITY]: 1,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
};
/** Higher quality is not worth the time: 30 kB take 0.5 ms, but 8 ms at quality 9 for 1 % less. */
const betterBrotli = { params: { ...brotliParams, [constants.BROTLI_PARAM_QUALITY]: 5 } };

const threaded = {
  br: [promisify(zlib.brotliDecompress), promisify(zlib.brotliCompress)],
  gzip: [promisify(zlib.gunzip), promisify(zlib.gzip)],
} as const;

/** Compresses better, in another thread. Undefined if that does not save any bytes. */
export async function compressBetter(encoding: string, body: Buffer): Promise<Buffer | undefined> {
  if (encoding !== "br" && encoding !== "gzip") return undefined;
  const [open, close] = threaded[encoding];
  const smaller = await close(await open(body), encoding === "br" ? betterBrotli : { level: 6 });
  return smaller.length < body.length ? smaller : undefined;
}

/** Min bytes; less than a packet is not worth it. */
const least = 1400;

/**
 * Compresses pages, feeds and JSON for clients that accept it. These are complete when they are sent
 * and at most about 200 kB: compressing them in one call costs less than passing them to a thread.
 * Streams of events and downloads are not compressed.
 *
 * BREACH guesses a secret that stays the same while the attacker changes the text beside it, from the length of
 * compressed pages. Pages contain no such secret: headers guard the forms, not tokens. The nonce of a composer only
 * detects repeats of a form by one user, and a kept page with another text or address has another nonce.
 */
export function compressPages(): RequestHandler {
  return (req, res, next) => {
    const send = res.send.bind(res);
    res.send = (body: unknown) => {
      if (typeof body === "string" && !res.hasHeader("Content-Type")) res.type("html");
      if (!isWorthIt(res) || !(typeof body === "string" || Buffer.isBuffer(body)))
        return send(body);
      res.vary("Accept-Encoding");
      return send(compressed(req, res, typeof body === "string" ? Buffer.from(body) : body));
    };
    next();
  };
}

function compressed(req: Request, res: Response, body: Buffer): Buffer {
  if (res.hasHeader("Content-Encoding") || req.fresh) return body;
  const { encoding, bytes } = compress(req, body);
  if (encoding !== "") res.setHeader("Content-Encoding", encoding);
  return bytes;
}

/** In the best encoding that the client accepts; as it is, and "", if that is not worth it. */
export function compress(req: Request, body: Buffer): { encoding: string; bytes: Buffer } {
  const encoding = body.length < least ? "" : encodingFor(req);
  const work = encodings.get(encoding);
  return work === undefined ? { encoding: "", bytes: body } : { encoding, bytes: work(body) };
}

/** By Accept-Encoding header: there are few different ones. */
const chosen = new LRUCache<string, string, Request>({
  max: 500,
  memoMethod: (_header, _stale, { context: req }) =>
    [...encodings.keys()].find((name) => req.acceptsEncodings(name) === name) ?? "",
});

/** The best encoding that a client accepts; empty for none. */
export function encodingFor(req: Request): string {
  return chosen.memo(req.headers["accept-encoding"] ?? "", { context: req });
}

/** False for downloads. */
function isWorthIt(res: Response): boolean {
  const type = String(res.getHeader("Content-Type"));
  return (
    /^text\/(html|xml|plain)|^application\/([\w.+-]+\+)?(json|xml)\b/.test(type) &&
    !res.hasHeader("Content-Disposition")
  );
}

/** An answer that may be sent again. */
export interface Answer {
  /** Headers but those of the body, as Node writes them without looking at each: name, value, name, value … */
  headers: readonly string[];
  /** Of the body; empty for none. */
  encoding: string;
  /** The bytes of the body as latin1: Node writes headers and text to the socket in one piece. */
  text: string;
}

/** Headers of the connection, of the single answer and of its body; not kept. */
const ownHeaders =
  /^(connection|keep-alive|date|transfer-encoding|content-(encoding|length)|x-ratelimit-\w+)$/;

export function answerOf(res: Response, body: Buffer): Answer {
  const headers = Object.entries(res.getHeaders())
    .filter(([name]) => !ownHeaders.test(name))
    .flatMap(([name, value]) => [name, String(value)]);
  const encoding = String(res.getHeader("content-encoding") ?? "");
  return { headers, encoding, text: body.toString("latin1") };
}

export function answerAgain(req: Request, { headers }: Answer, html: Buffer): Answer {
  const { encoding, bytes } = compress(req, html);
  return { headers, encoding, text: bytes.toString("latin1") };
}

/** Sends it; `more`: further headers. */
export function sendAnswer(
  res: Response,
  { headers, encoding, text }: Answer,
  more: readonly string[] = [],
): void {
  const coding = encoding === "" ? [] : ["content-encoding", encoding];
  // Not set one by one: Node would go through all headers again.
  res.writeHead(200, [...headers, ...coding, "content-length", String(text.length), ...more]);
  res.end(text, "latin1");
}
