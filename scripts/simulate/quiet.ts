import { untilIdle } from "../drill/lab/inside.ts";
import type { Scene } from "./people.ts";

/** Max real milliseconds. In the evening a chore packs all earlier tweets for the search. */
const patience = 120_000;

/**
 * Resolves once all tweets are delivered and all chores have run. Those that were promised for ten seconds later run now,
 * as the requests that promised them are over; those of an hour later may stay.
 */
export async function untilQuiet(scene: Pick<Scene, "lab" | "queues" | "tally">): Promise<void> {
  const { lab, queues, tally } = scene;
  const chores = queues.all().find(({ name }) => name === "chores");
  await chores?.promoteJobs();
  await untilIdle(lab.ctx, patience).catch((error: unknown) => tally.fail(error));
}
