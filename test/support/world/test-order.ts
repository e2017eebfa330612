import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest. They run first, as the last file of a run leaves the other workers idle. */
const slow = [
  "browser/pages",
  "browser/hostile",
  "stories/launch-day",
  "start",
  "scripts/suzume",
  "stories/worker-killed",
  "scripts/simulate-day",
  "reliability/wrong-redis",
  "web/fuzz",
  "privacy/private-by-proof",
  "stories/backup-programs",
  "stories/backup",
  "deploy/image",
  "web/kept-beside-fresh",
  "web/languages/pseudo",
  "doctor/repairs",
  "admin",
  "domain/search/sealed-model",
  "domain/actions/half-done",
  "reliability/silent-connections",
  "web-processes",
  "web/sent-twice",
  "stories/flood",
  "jobs/partial-outages",
  "security/floods",
  "reliability/ending",
  "deploy/nginx",
  "jobs/outages",
  "deploy/prometheus",
  "reliability/late-redis",
  "domain/drawing/draw",
  "pictures-folder",
  "reliability/unsent-forms",
  "scripts/drill/cluster",
  "web/site/branding/logo",
  "domain/timelines/home",
  "jobs/alerts",
  "reliability/cluster-outage",
  "boot",
  "reliability/full-memory",
  "redis/steady-cluster",
  "domain/feeds/feed-ranges",
  "stories/paging",
  "domain/users/sessions",
  "jobs/queue-worker",
  "domain/search/seal-tweets",
  "redis/private-server",
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
