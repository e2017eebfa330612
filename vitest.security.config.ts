import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** Tests of security that take minutes: `npm run test:security`. */
const config = mergeConfig(base, defineConfig({}));
config.test = { ...config.test, include: ["test/security/slow/**/*.test.ts"], exclude: [] };

export default config;
