import { isDeepStrictEqual } from "node:util";

/** A truth that changes more often is being written all the time; each writer promises its own job. */
const triesAtMost = 10;

/**
 * Writes what follows from a truth, and again until the truth is still what was read. A process that stood still
 * between its read and its write would otherwise be the last to write, with something out of date. Both may run twice.
 * Resolves to the truth that was written last.
 */
export async function reconcile<Truth>(
  read: () => Promise<Truth>,
  write: (truth: Truth) => Promise<void>,
): Promise<Truth> {
  let truth = await read();
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    await write(truth);
    const again = await read();
    if (isDeepStrictEqual(again, truth)) break;
    truth = again;
  }
  return truth;
}
