import type { TestProject } from "vitest/node";
import { provideChromium } from "../../../scripts/setup/chromium.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The program of a Chromium. */
    chromium: string;
  }
}

/** Finds or installs a Chromium for the run; otherwise the run fails with a remedy. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("chromium", await provideChromium());
}
