import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // These have configurations of their own: vitest.browser.config.ts, vitest.security.config.ts.
    exclude: ["test/browser/**", "test/security/slow/**"],
    globalSetup: ["test/support/world/setup-redis.ts"],
    // A private Redis for each; machines have two cores.
    maxWorkers: 2,
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 30_000,
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
