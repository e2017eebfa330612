import { setImmediate as othersTurn } from "node:timers/promises";

/** How often other work of this process has its turn while `work` runs. */
export async function turnsOfOthers(work: () => Promise<unknown>): Promise<number> {
  const end = new AbortController();
  let turns = 0;
  const others = (async () => {
    for (; !end.signal.aborted; turns += 1) await othersTurn();
  })();
  await work();
  end.abort();
  await others;
  return turns;
}
