import { inLanes } from "../drill/lab/lanes.ts";
import { People, type Scene } from "./people.ts";
import type { Step } from "./plan.ts";
import { randomFrom } from "./random.ts";
import { hour } from "./rhythm.ts";
import { Tally } from "./tally.ts";
import { celebrity, isActive } from "./town.ts";

const kinds = ["visit", "post", "visit", "poll"] as const;
/** Acts of the evening, and how many at once. After these, little of what the processes do is new to them. */
const acts = 240;
const lanes = 4;

/**
 * The last hour before the day: a few people look and write, and none of it is counted. A process that has just started
 * takes several times as long for a page, which would be half of the day of a small site and nothing of a large one's.
 */
export async function spendEvening(scene: Scene, start: number): Promise<void> {
  const { lab, town } = scene;
  const ctx = { ...lab.ctx, now: () => start - hour };
  const uncounted = { tally: new Tally(() => 0), watchedShare: 0 };
  const people = new People({ ...scene, ...uncounted, lab: { ...lab, ctx } });
  const random = randomFrom(1);
  const writers = [...town.followings.keys()].filter(
    (person) => isActive(person) && person !== celebrity,
  );
  const steps = Array.from({ length: acts }, (_, nth): Step & { kind: (typeof kinds)[number] } => {
    const person = writers[Math.floor(random() * writers.length)] ?? celebrity;
    return { kind: kinds[nth % kinds.length] ?? "visit", person, at: 0, luck: random() };
  });
  await inLanes(steps, lanes, async (step) => {
    await people[step.kind](step).catch((error: unknown) => scene.tally.fail(error));
  });
}
