import { defineConfig } from "vitest/config";
import { onRedis } from "./vitest.config.ts";

/** `npm run test:security`: security tests that take minutes. */
export default defineConfig({
  test: { ...onRedis, include: ["test/security/slow/**/*.test.ts"], exclude: [] },
});
