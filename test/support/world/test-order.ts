import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest. They run first, as the last file of a run leaves the other workers idle. */
const slow = [
  "browser/pages",
  "browser/hostile",
  "web/fuzz",
  "start",
  "stories/backup-programs",
  "reliability/wrong-redis",
  "stories/worker-killed",
  "reliability/silent-connections",
  "redis/steady-cluster",
  "scripts/drill/cluster",
  "web-processes",
  "domain/timelines/home",
  "domain/actions/half-done",
  "web/kept-beside-fresh",
  "doctor/repairs",
];

/** Slow tests first, unit tests last: a worker that changes between projects starts anew. */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  if (project.name === "unit") return slow.length + 1;
  const place = slow.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return place === -1 ? slow.length : place;
}
