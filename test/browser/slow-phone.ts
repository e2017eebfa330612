import type { CDPSession } from "playwright-core";

/**
 * A phone of the middle class on a slow fourth-generation network: what Lighthouse calls "Slow 4G",
 * 1.6 Mbit/s down, 750 kbit/s up, each answer 150 ms later than here, and a quarter of a core.
 */
const network = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const slowdown = 4;

/** Makes the page of this session as slow. Answers how many times slower than this machine is just now. */
export async function slowDown(devTools: CDPSession): Promise<number> {
  await devTools.send("Network.enable");
  await devTools.send("Network.emulateNetworkConditions", network);
  // Where others use the core as well, it is slower already.
  const rate = Math.max(1, slowdown * coreShare());
  await devTools.send("Emulation.setCPUThrottlingRate", { rate });
  return rate;
}

/** Share of a core that this process gets now: 1 on an idle machine. */
function coreShare(): number {
  const milliseconds = 200;
  const before = process.cpuUsage();
  const start = performance.now();
  while (performance.now() - start < milliseconds);
  const { user, system } = process.cpuUsage(before);
  const elapsed = performance.now() - start;
  return Math.min(1, (user + system) / 1000 / elapsed);
}
