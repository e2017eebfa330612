import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeShim, type Shim } from "../../../scripts/drill/faults/shim.ts";

let folder: string;
let shim: Shim | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "suzume-shim-"));
  shim = await makeShim(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What a Node.js process under the shim prints. */
async function underShim(script: string): Promise<string> {
  const env = { ...process.env, ...shim?.env };
  const args = ["--input-type=module", "-e", script, folder];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
}

// Where there is no C compiler, the drills that need the shim say that they did not run.
describe("the shim of the drills", () => {
  it("the drill shim makes each fsync slow", async () => {
    if (shim === undefined) return;
    shim.slowFsync(300);
    const elapsed = await underShim(`
      import { fsyncSync, openSync } from "node:fs";
      const file = openSync(process.argv[1] + "/a", "w");
      const began = performance.now();
      fsyncSync(file);
      console.log(performance.now() - began);`);
    expect(Number(elapsed)).toBeGreaterThan(290);
  });

  it("the drill shim sets the clock wrong, while a process runs too, and leaves timers alone", async () => {
    if (shim === undefined) return;
    shim.shiftClock(-3_600_500);
    const began = Date.now();
    const clock = underShim(`
      import { closeSync, openSync, writeSync } from "node:fs";
      const times = [Date.now()];
      const file = openSync(process.env.DRILL_CLOCK_FILE, "r+");
      writeSync(file, "7200000".padEnd(16), 0);
      closeSync(file);
      await new Promise((resolve) => setTimeout(resolve, 50));
      times.push(Date.now());
      console.log(JSON.stringify(times));`);
    const [behind = 0, ahead = 0] = JSON.parse(await clock) as number[];
    const ended = Date.now();
    expect(behind).toBeGreaterThanOrEqual(began - 3_600_501);
    expect(behind).toBeLessThanOrEqual(ended - 3_600_499);
    expect(ahead).toBeGreaterThanOrEqual(began + 7_200_000);
    expect(ahead).toBeLessThanOrEqual(ended + 7_200_000);
  });

  it("the drill shim cuts files to what had been synced", async () => {
    if (shim === undefined) return;
    await underShim(`
      import { fdatasyncSync, openSync, renameSync, writeSync } from "node:fs";
      const path = process.argv[1] + "/data";
      const { mkdirSync } = await import("node:fs");
      mkdirSync(path);
      const file = openSync(path + "/early", "w");
      writeSync(file, "synced");
      fdatasyncSync(file);
      renameSync(path + "/early", path + "/late");
      writeSync(file, " and not synced");
      writeSync(openSync(path + "/never", "w"), "gone");`);
    const data = join(folder, "data");
    expect(await shim.losePower(data)).toBe(" and not synced".length + "gone".length);
    expect(await readFile(join(data, "late"), "utf8")).toBe("synced");
    expect(await readFile(join(data, "never"), "utf8")).toBe("");
  });
});
