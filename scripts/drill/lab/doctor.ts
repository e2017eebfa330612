import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Lab } from "./lab.ts";
import { Process } from "./process.ts";
import { settings } from "./site.ts";

const script = fileURLToPath(new URL("../../../dist/doctor.js", import.meta.url));
const patience = 60_000;

/** The doctor (`npm run doctor`) finds nothing, within a minute. */
export async function checkDoctor(lab: Lab, redisUrl: string): Promise<void> {
  const { report } = lab;
  if (!existsSync(script)) {
    report.notes.push("the doctor was not asked: dist/doctor.js is not there");
    return;
  }
  const began = performance.now();
  for (let nth = 0; ; nth += 1) {
    const { clean, said } = await askDoctor(lab, redisUrl, nth);
    const took = performance.now() - began;
    if (clean) {
      report.notes.push(`the doctor found nothing after ${(took / 1000).toFixed(1)} s`);
      return;
    }
    if (took > patience) {
      report.problem("the doctor still finds something after a minute", said.slice(0, 500));
      return;
    }
    await sleep(5000, undefined, { signal: lab.ended });
  }
}

/** One run of it; `--repair` among `args` lets it mend what it finds. */
export async function askDoctor(
  lab: Lab,
  redisUrl: string,
  nth: number | string,
  args: string[] = [],
): Promise<{ clean: boolean; said: string }> {
  const env = { ...settings, DATA_DIR: lab.folder, REDIS_URL: redisUrl };
  const line = [script, "--json", ...args];
  const running = new Process(process.execPath, line, env, join(lab.folder, `doctor-${nth}.log`));
  const code = await running.ended();
  return { clean: code === 0, said: (await running.log()).trim() };
}
