import { type Browser, chromium } from "playwright-core";

/** A headless Chromium. It always ends with this process, as it is connected by a pipe. */
export async function startChromium(executablePath: string): Promise<Browser> {
  // Chromium has no sandbox for root, and CI containers often forbid one. It opens this site only.
  const unboxed = process.getuid?.() === 0 || process.env["CI"] !== undefined;
  return await chromium.launch({
    executablePath,
    // Containers have a small /dev/shm.
    args: ["--disable-gpu", "--disable-dev-shm-usage", ...(unboxed ? ["--no-sandbox"] : [])],
  });
}
