import { defineConfig } from "vitest/config";
import { TestOrder } from "./test/support/world/test-order.ts";

/** `npm run test:browser`: the site in a real browser. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/support/world/setup-redis.ts", "test/support/world/setup-chromium.ts"],
    sequence: { sequencer: TestOrder },
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A page may still be busy with what was clicked: what is expected of it is awaited.
    expect: { poll: { timeout: 15_000, interval: 50 } },
  },
});
