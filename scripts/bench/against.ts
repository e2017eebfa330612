import type { Lab } from "./lab.ts";
import { asSent, load, type Load, type Traffic } from "./load.ts";
import { startLimits } from "./site.ts";

/** So much of a page's time goes into warming up, which is not measured. */
const warmUp = { seconds: 3 };

export interface Compared {
  ours: Load;
  /** The same compressed bytes from the same Express, with nothing around them. */
  fixed: Load;
  /** A home page of 50 rendered anew from memory for each request, by that Express. */
  rendered: Load | undefined;
  encoding: string;
}

/** Asks for a page as a browser does. `meanwhile` runs beside ours alone, until its signal ends it. */
export async function againstFixed(
  lab: Lab,
  url: string,
  who: Traffic,
  {
    meanwhile = async () => {},
    andRendered = false,
  }: { meanwhile?: (ending: AbortSignal) => Promise<void>; andRendered?: boolean } = {},
): Promise<Compared> {
  const sent = await asSent(url, who);
  const limits = await startLimits(lab, sent);
  try {
    await load(url, { ...who, ...warmUp });
    await load(`${limits.url}/fixed`, warmUp);
    const ending = new AbortController();
    const beside = meanwhile(ending.signal);
    const ours = await load(url, who);
    ending.abort();
    await beside;
    const fixed = await load(`${limits.url}/fixed`, {});
    const rendered = andRendered ? await load(`${limits.url}/rendered`, {}) : undefined;
    return { ours, fixed, rendered, encoding: sent.encoding };
  } finally {
    await limits.stop();
  }
}
