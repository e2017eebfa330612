import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Visitor } from "../support/actors/visitor.ts";
import { alertRules, dashboard, deployFile } from "../support/inspect/deploy-files.ts";
import { builtProgram } from "../support/world/built-program.ts";
import { hasProgram } from "../support/world/host-program.ts";
import { freePort } from "../support/world/ports.ts";
import { type SiteProcess, startSiteProcess } from "../support/world/site-process.ts";

const run = promisify(execFile);
const alerts = fileURLToPath(new URL("../../deploy/alerts.yaml", import.meta.url));
const cases = fileURLToPath(new URL("alerts.promtool.yaml", import.meta.url));
const token = "only-for-a-test-of-prometheus";
/** Hardly any request fails in this test. */
const maybeEmpty = "Errors";

interface Answer {
  status: string;
  error?: string;
  data: { result: { value: [number, string] }[] };
}

describe.skipIf(!hasProgram("promtool"))("promtool", () => {
  it("promtool finds nothing wrong with the alerts", async () => {
    const { stdout } = await run("promtool", ["check", "rules", alerts]);
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
  });

  it("each alert fires when it should, and no other then", async () => {
    const { stdout } = await run("promtool", ["test", "rules", cases]);
    expect(stdout).toContain("SUCCESS");
    const text = await readFile(cases, "utf8");
    const names = alertRules().map(({ alert }) => alert as string);
    expect(names.filter((name) => !text.includes(`alertname="${name}"`))).toEqual([]);
  });
});

describe.skipIf(!hasProgram("prometheus"))("a Prometheus that reads a site", () => {
  const cleanups: (() => unknown)[] = [];
  let url: string;
  let site: SiteProcess;

  async function ask(query: string): Promise<Answer> {
    const address = `${url}/api/v1/query?query=${encodeURIComponent(query)}`;
    return (await (await fetch(address)).json()) as Answer;
  }

  async function scrapes(): Promise<number> {
    const answer = await ask('sum_over_time(up{job="suzume"}[5m])').catch(() => undefined);
    return Number(answer?.data.result[0]?.value[1] ?? 0);
  }

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "suzume-test-"));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    site = await startSiteProcess({ METRICS_TOKEN: token });
    cleanups.push(() => site.kill());
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const config = deployFile("prometheus.yaml")
      .replaceAll("/etc/prometheus/suzume-token", join(folder, "token"))
      .replaceAll("/etc/prometheus/suzume-alerts.yaml", alerts)
      .replace("127.0.0.1:3000", `127.0.0.1:${site.port}`)
      .replace("scrape_interval: 15s", "scrape_interval: 1s");
    await writeFile(join(folder, "token"), token);
    const often = "global: { evaluation_interval: 1s }\n";
    await writeFile(join(folder, "prometheus.yaml"), often + config);
    const server = spawn("prometheus", [
      `--config.file=${join(folder, "prometheus.yaml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ]);
    const ended = new Promise((resolve) => server.once("exit", resolve));
    cleanups.push(async () => {
      server.kill();
      await ended;
    });
    await useSite(site, folder);
    await vi.waitFor(async () => expect(await scrapes()).toBeGreaterThan(4), {
      timeout: 40_000,
      interval: 500,
    });
  }, 90_000);
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  it.each(dashboard().panels.filter(({ type }) => type !== "row"))(
    "a panel shows what the site says: $title",
    async ({ title, targets = [] }) => {
      let series = 0;
      for (const { expr } of targets) {
        const { status, error, data } = await ask(expr);
        expect([expr, status, error]).toEqual([expr, "success", undefined]);
        series += data.result.length;
      }
      expect([title, series > 0 || title === maybeEmpty]).toEqual([title, true]);
    },
  );

  it("each alert is evaluated, and none fires at a site that is well", async () => {
    interface Rules {
      data: { groups: { rules: { name: string; health: string; state: string }[] }[] };
    }
    const rules = async () => {
      const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as Rules;
      return data.groups.flatMap((group) => group.rules);
    };
    const health = async () => [...new Set((await rules()).map((rule) => rule.health))];
    await expect.poll(health, { timeout: 90_000, interval: 1000 }).toEqual(["ok"]);
    const firing = (await rules()).filter(({ state }) => state === "firing");
    expect(firing.map(({ name }) => name)).toEqual([]);
  }, 120_000);
});

/** What the panels show: a tweet that is delivered, pages, a search and a backup. */
async function useSite({ port, socket }: SiteProcess, folder: string): Promise<void> {
  const visitor = new Visitor(`http://127.0.0.1:${port}`);
  await visitor.signUp("wren");
  await visitor.tweet("to be counted");
  await visitor.get("/search?q=counted").expect(200);
  for (let time = 1; time <= 3; time += 1) await visitor.get("/").expect(200);
  await run(process.execPath, [await builtProgram("backup"), join(folder, "site.backup")], {
    env: { PATH: process.env["PATH"], REDIS_URL: socket, DATA_DIR: folder },
  });
}
