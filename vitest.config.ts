import { defineConfig } from "vitest/config";
import { TestOrder } from "./test/support/world/test-order.ts";

/** Tests that need neither Redis nor another process. */
const unitTests = ["test/**/*.unit.test.ts", "test/architecture.test.ts"];
/** These have configurations of their own: vitest.browser.config.ts, vitest.security.config.ts. */
const elsewhere = ["test/browser/**", "test/security/slow/**"];

// Each run has a seed of its own, unless one is given; its workers inherit it.
if (process.env["PROPERTY_SEED"] === undefined) {
  const seed = Math.floor(Math.random() * 2 ** 31);
  process.env["PROPERTY_SEED"] = String(seed);
  process.stdout.write(`PROPERTY_SEED=${seed} repeats the property tests of this run.\n`);
}

/** The same for all projects: only then has each worker a number of its own. */
const workers = {
  setupFiles: ["test/support/world/property-seed.ts"],
  maxWorkers: 4,
  isolate: false,
  // Most objects of a test live shortly: with more room for new ones, fewer are copied.
  execArgv: ["--max-semi-space-size=32"],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // What workers and other processes do comes later where all share two cores.
  expect: { poll: { timeout: 15_000, interval: 50 } },
};

/** Settings of all tests that use Redis. */
export const onRedis = {
  include: ["test/**/*.test.ts"],
  exclude: [...unitTests, ...elsewhere],
  globalSetup: ["test/support/world/setup-redis.ts"],
  ...workers,
  setupFiles: [...workers.setupFiles, "test/support/world/check-answers.ts"],
};

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: unitTests, ...workers } },
      { test: { name: "redis", ...onRedis } },
    ],
    sequence: { sequencer: TestOrder },
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      // Entry points run as processes of their own: scripts/ci/start-check.mjs starts them.
      exclude: ["src/{start,web,worker,serve,process,doctor,backup,restore,admin}.ts"],
      reporter: ["text"],
      reportOnFailure: true,
    },
  },
});
