import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest. They run first, as the last file of a run leaves the other workers idle. */
const slow = [
  "browser/pages",
  "browser/hostile",
  "privacy/private-by-proof",
  "start",
  "scripts/suzume",
  "scripts/simulate-day",
  "stories/launch-day",
  "stories/worker-killed",
  "reliability/wrong-redis",
  "doctor/repairs",
  "web/fuzz",
  "admin",
  "deploy/image",
  "web/kept-beside-fresh",
  "web/remade-beside-fresh",
  "stories/backup",
  "stories/backup-programs",
  "deploy/nginx",
  "web/sent-twice",
  "reliability/ending",
  "domain/accounts/large-archive",
  "security/floods",
  "jobs/partial-outages",
  "web-processes",
  "stories/flood",
  "reliability/silent-connections",
  "domain/actions/half-done",
  "domain/search/sealed-model",
  "deploy/prometheus",
  "jobs/outages",
  "domain/actions/follow-request-races",
  "reliability/late-redis",
  "domain/accounts/hostile-archive",
  "scripts/drill/cluster",
  "domain/timelines/home",
  "web/languages/pseudo",
  "reliability/unsent-forms",
  "storage/guard-storage.unit",
  "reliability/cluster-outage",
  "boot",
  "jobs/queue-worker",
  "reliability/full-memory",
  "redis/steady-cluster",
  "pictures-folder",
  "jobs/alerts",
  "domain/drawing/draw",
  "domain/users/sessions",
  "security/silent-bodies",
  "redis/private-server",
  "domain/drawing/picture.unit",
  "web/crawl",
  "stories/closed-club",
  "reliability/slow-readers.unit",
  "domain/users/log-in",
  "stories/conversation",
  "migrations/migrate",
  "domain/outage",
  "stories/paging",
  "domain/accounts/import",
  "domain/timelines/big-accounts",
];

/** Slow tests first, unit tests last: a worker that changes between projects starts anew. */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  const place = slow.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  const inProject = place === -1 ? slow.length : place;
  return project.name === "unit" ? slow.length + 1 + inProject : inProject;
}
