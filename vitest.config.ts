import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** Tests that need neither Redis nor another process. */
const unitTests = ["test/**/*.unit.test.ts", "test/architecture.test.ts"];
/** These have configurations of their own: vitest.browser.config.ts, vitest.security.config.ts. */
const elsewhere = ["test/browser/**", "test/security/slow/**"];

/** Settings of all tests that use Redis. */
export const onRedis = {
  include: ["test/**/*.test.ts"],
  exclude: [...unitTests, ...elsewhere],
  globalSetup: ["test/support/world/setup-redis.ts"],
  // Each worker has a private Redis; machines have two cores.
  maxWorkers: 2,
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 30_000,
};

const unit: TestProjectInlineConfiguration = {
  test: { name: "unit", include: unitTests, maxWorkers: 2, isolate: false, testTimeout: 20_000 },
};
const redis: TestProjectInlineConfiguration = {
  // After the others: a worker that changes between projects starts anew.
  test: { name: "redis", ...onRedis, sequence: { groupOrder: 1 } },
};

export default defineConfig({
  test: {
    projects: [unit, redis],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      // Entry points run as processes of their own: scripts/ci/start-check.mjs starts them.
      exclude: ["src/{start,web,worker,serve,process,doctor}.ts"],
      reporter: ["text"],
      reportOnFailure: true,
    },
  },
});
