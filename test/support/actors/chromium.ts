import { type Browser, chromium } from "playwright-core";

let running: Browser | undefined;

/**
 * The headless Chromium of this process, for all test files: contexts keep their pages apart. It always ends with the
 * process, as it is connected by a pipe.
 */
export async function startChromium(executablePath: string): Promise<Browser> {
  if (running?.isConnected() === true) return running;
  // Chromium has no sandbox for root, and CI containers often forbid one. It opens this site only.
  const unboxed = process.getuid?.() === 0 || process.env["CI"] !== undefined;
  running = await chromium.launch({
    executablePath,
    // Containers have a small /dev/shm.
    args: ["--disable-gpu", "--disable-dev-shm-usage", ...(unboxed ? ["--no-sandbox"] : [])],
  });
  return running;
}
