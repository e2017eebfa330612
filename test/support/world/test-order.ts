import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest. They run first, as the last file of a run leaves the other workers idle. */
const slow = [
  "browser/pages",
  "browser/hostile",
  "start",
  "web/languages/pseudo",
  "stories/worker-killed",
  "stories/backup-programs",
  "reliability/wrong-redis",
  "admin",
  "web/fuzz",
  "web/api/streaming",
  "stories/flood",
  "doctor/repairs",
  "reliability/silent-connections",
  "security/floods",
  "stories/backup",
  "web-processes",
  "domain/actions/half-done",
  "web/kept-beside-fresh",
  "redis/steady-cluster",
  "domain/timelines/home",
  "scripts/drill/cluster",
  "web/site/branding/logo",
  "reliability/ending",
  "domain/timelines/big-accounts",
  "jobs/outages",
  "reliability/late-redis",
  "jobs/queue-worker",
  "web/budget",
  "web/crawl",
  "reliability/cluster-outage",
  "jobs/partial-outages",
  "jobs/alerts",
  "boot",
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
