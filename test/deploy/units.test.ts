import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deployFile } from "../support/inspect/deploy-files.ts";
import { hasProgram } from "../support/world/host-program.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
/** 0 is no exposure, 10 all of it. */
const mostExposure = 2;

describe.skipIf(!hasProgram("systemd-analyze"))("systemd-analyze", () => {
  let folder: string;
  let units: string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "suzume-test-"));
    const names = await readdir(join(root, "deploy"));
    units = names.filter((name) => /\.(service|timer)$/.test(name));
    // It also looks for the programs, which are elsewhere here.
    for (const name of units) {
      const text = deployFile(name)
        .replaceAll("/opt/suzume/site/", root)
        .replaceAll("/opt/suzume/site", root)
        .replaceAll("/usr/bin/node", process.execPath);
      await writeFile(join(folder, name), text);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("systemd understands every line of the units", async () => {
    expect(units).toHaveLength(3);
    const paths = units.map((name) => join(folder, name));
    const { stdout, stderr } = await run("systemd-analyze", ["verify", "--man=no", ...paths]);
    const own = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("suzume"));
    expect(own).toEqual([]);
  });

  it.each(["suzume.service", "suzume-backup.service"])(
    "systemd sees little that %s exposes",
    async (name) => {
      const options = ["security", "--offline=true", "--no-pager", join(folder, name)];
      const { stdout } = await run("systemd-analyze", options);
      const [, exposure] = /exposure level for .*: ([\d.]+)/.exec(stdout) ?? [];
      expect(Number(exposure)).toBeLessThan(mostExposure);
    },
  );

  it("the timer comes once a night", async () => {
    const [, when = ""] = /^OnCalendar=(.*)$/m.exec(deployFile("suzume-backup.timer")) ?? [];
    const { stdout } = await run("systemd-analyze", ["calendar", "--iterations=3", when]);
    const times = [...stdout.matchAll(/\d{4}-\d\d-(\d\d) 03:17:00/g)].map(([, day]) => day);
    expect(new Set(times).size).toBeGreaterThan(2);
  });
});
