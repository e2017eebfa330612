import { type Browser, chromium } from "playwright-core";

/** A Chromium without a screen. It ends with this process, however that ends: it hangs on its pipe. */
export async function startChromium(executablePath: string): Promise<Browser> {
  // Root has no sandbox, and the containers that checks run in often forbid one. It sees this site only.
  const unboxed = process.getuid?.() === 0 || process.env["CI"] !== undefined;
  return await chromium.launch({
    executablePath,
    // Containers have a small /dev/shm.
    args: ["--disable-gpu", "--disable-dev-shm-usage", ...(unboxed ? ["--no-sandbox"] : [])],
  });
}
