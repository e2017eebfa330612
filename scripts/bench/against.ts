import type { Lab } from "./lab.ts";
import { asSent, load, type Load, type Who } from "./load.ts";
import { startLimits } from "./site.ts";

export interface Compared {
  ours: Load;
  /** The same compressed bytes from the same Express, with nothing around them. */
  fixed: Load;
  encoding: string;
}

/** Asks for a page as a browser does. `meanwhile` runs beside ours alone, until its signal ends it. */
export async function againstFixed(
  lab: Lab,
  url: string,
  who: Who,
  meanwhile: (ending: AbortSignal) => Promise<void> = async () => {},
): Promise<Compared> {
  const sent = await asSent(url, who);
  // Warming up is not measured.
  const warmUp = { seconds: lab.seconds(3) };
  const seconds = lab.seconds(5);
  const limits = await startLimits(lab, sent);
  try {
    await load(url, { ...who, ...warmUp });
    await load(`${limits.url}/fixed`, warmUp);
    const ending = new AbortController();
    const beside = meanwhile(ending.signal);
    const ours = await load(url, { ...who, seconds });
    ending.abort();
    await beside;
    const fixed = await load(`${limits.url}/fixed`, { seconds });
    return { ours, fixed, encoding: sent.encoding };
  } finally {
    await limits.stop();
  }
}
