import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest, so that none of them is the last one to run. */
const slow = [
  "web/fuzz",
  "reliability/wrong-redis",
  "stories/worker-killed",
  "reliability/silent-connections",
  "web/kept-beside-fresh",
];

/** Slow tests first, unit tests last: a worker that changes between projects starts anew. */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line no-array-sort -- the sequencer of Vitest, not an array
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  if (project.name === "unit") return 2;
  return slow.some((name) => moduleId.endsWith(`test/${name}.test.ts`)) ? 0 : 1;
}
