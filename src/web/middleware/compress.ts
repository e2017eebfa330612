import { constants } from "node:zlib";
import compression from "compression";
import type { RequestHandler, Response } from "express";

/** About 0.6 ms of a spare thread for a page of 50 tweets; 5 takes half as long again for a tenth less. */
const quality = 4;
/** log2 of the bytes in which repetitions are found: more than a page needs would be memory for nothing. */
const windowBits = 18;
/** Bytes; less than a packet is not worth it. */
const least = 1400;

/**
 * Pages and feeds in a smaller form, for whoever accepts it. That a compressed page may be guessed
 * from its length (BREACH) needs a secret that stays the same while an attacker's words beside it
 * change: pages hold none, as nonces are new each time, forms are guarded by headers rather than
 * tokens, and a cookie that is SameSite does not go along with what other sites ask for.
 */
export function compressPages(): RequestHandler {
  const compress = compression({
    threshold: least,
    brotli: {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_LGWIN]: windowBits,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      },
    },
    filter: (_req, res) => isWorthIt(res),
  });
  return (req, res, next) => {
    if (req.headers["accept-encoding"] !== undefined) {
      compress(req, res, next);
      return;
    }
    res.vary("Accept-Encoding");
    next();
  };
}

/** Neither a stream of events, which would wait, nor a download, which is written as it is read. */
function isWorthIt(res: Response): boolean {
  const type = String(res.getHeader("Content-Type"));
  return (
    /^text\/(html|xml|plain)|^application\/([\w.+-]+\+)?(json|xml)\b/.test(type) &&
    !res.hasHeader("Content-Disposition")
  );
}
