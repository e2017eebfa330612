import { type Browser, chromium } from "playwright-core";

/** A Chromium without a screen. It ends with this process, however that ends: it hangs on its pipe. */
export async function startChromium(executablePath: string): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return await chromium.launch({
    executablePath,
    // Containers have a small /dev/shm, and root has no sandbox.
    args: ["--disable-gpu", "--disable-dev-shm-usage", ...(isRoot ? ["--no-sandbox"] : [])],
  });
}
