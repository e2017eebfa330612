import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { settingNames } from "../../src/settings.ts";
import { alertRules, dashboard, deployFile, queries } from "../support/inspect/deploy-files.ts";
import { parseQuery } from "../support/inspect/promql.ts";
import { at, parseYaml, type Yaml } from "../support/inspect/yaml.ts";

const root = new URL("../../", import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), "utf8");
const names = readdirSync(new URL("deploy", root));
const guide = textOf("docs/operations.md");

/** Values of a unit's option, such as ExecStart. */
const optionOf = (unit: string, option: string) =>
  [...unit.matchAll(new RegExp(`^${option}=(.*)$`, "gm"))].map(([, value = ""]) => value);

describe("the files of deploy", () => {
  it("each of them is in the guide, which repeats none of them", () => {
    for (const name of names) expect(guide).toContain(`deploy/${name}`);
    expect(guide).not.toMatch(/^\[Service\]|reverse_proxy|proxy_pass|^scrape_configs/m);
  });

  it.each(names.filter((name) => name.endsWith(".yaml")))("%s is YAML without a doubt", (name) => {
    expect(parseYaml(deployFile(name))).toBeTypeOf("object");
  });

  it("they name only settings that there are", () => {
    const known = new Set(settingNames);
    const word = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
    for (const name of names)
      for (const [setting] of deployFile(name).matchAll(word)) {
        const isSystems = name.endsWith(".service") && setting.startsWith("AF_");
        // What compose.yaml itself reads is in the guide.
        const isOfCompose = name === "compose.yaml" && guide.includes(`\`${setting}\``);
        expect([name, setting, known.has(setting) || isSystems || isOfCompose]).toEqual([
          name,
          setting,
          true,
        ]);
      }
  });

  it("a certificate that is renewed is shown, and IPv6 clients have addresses of their own", () => {
    const certbots = [...guide.matchAll(/`certbot [^`]*`/g)].map(([call]) => call);
    expect(certbots.length).toBeGreaterThan(0);
    for (const call of certbots) expect(call).toContain("--deploy-hook");
    const compose = parseYaml(deployFile("compose.yaml"));
    expect(at(compose, "networks", "default", "enable_ipv6")).toBe("true");
  });

  it("an upgrade stops the site before it changes the files that it reads", () => {
    const upgrade = guide.slice(guide.indexOf("## Upgrade"));
    const [stop, install] = ["systemctl stop suzume", "npm ci"].map((word) =>
      upgrade.indexOf(word),
    );
    expect(stop).toBeGreaterThan(0);
    expect(stop).toBeLessThan(install ?? 0);
  });

  it("the settings of nightly copies are in the guide", () => {
    const read = textOf("scripts/suzume").matchAll(/\$\(setting (\w+)\)/g);
    for (const [, name = ""] of read) expect(guide).toContain(`\`${name}\``);
  });
});

describe("the units of systemd", () => {
  it("they start programs that there are, as the user to whom the guide gives the data", () => {
    const units = names.filter((name) => name.endsWith(".service"));
    expect(units).toHaveLength(2);
    for (const name of units) {
      const unit = deployFile(name);
      expect(optionOf(unit, "User")).toEqual(["suzume"]);
      const [data] = optionOf(unit, "ReadWritePaths");
      expect(guide).toContain(`DATA_DIR=${data}`);
      expect(guide).toMatch(new RegExp(`install -d -m 700 -o suzume .*${data}`));
      const [command = ""] = optionOf(unit, "ExecStart");
      const [, program = ""] = /(dist\/\w+|scripts\/\w+)/.exec(command) ?? [];
      expect(
        existsSync(new URL(`${program.replace("dist/", "src/")}.ts`, root)) ||
          existsSync(new URL(program, root)),
      ).toBe(true);
    }
  });

  it("the site is not started again where the operator must act, and outlives its decoder", () => {
    const unit = deployFile("suzume.service");
    expect(optionOf(unit, "RestartPreventExitStatus")).toEqual(["78"]);
    expect(textOf("src/config.ts")).toContain("operatorNeeded = 78");
    expect(optionOf(unit, "OOMPolicy")).toEqual(["continue"]);
  });
});

describe("compose.yaml", () => {
  const compose = parseYaml(deployFile("compose.yaml"));
  const services = at(compose, "services") as Record<string, Record<string, Yaml>>;
  const dockerfile = textOf("Dockerfile");

  it("each service has a health check, a limit of memory and a restart", () => {
    expect(Object.keys(services)).toEqual(["web", "valkey", "caddy"]);
    for (const service of Object.values(services)) {
      expect(at(service, "healthcheck", "interval")).toMatch(/^\d+s$/);
      expect(service["mem_limit"]).toMatch(/^\$\{\w+:-\d+m\}$/);
      expect(service["restart"]).toBe("unless-stopped");
    }
    // The image has the test of the site.
    expect(dockerfile).toMatch(/^HEALTHCHECK .*healthz/m);
  });

  it("each service waits until those that it needs are healthy", () => {
    expect(at(services["web"] ?? "", "depends_on", "valkey", "condition")).toBe("service_healthy");
    expect(at(services["caddy"] ?? "", "depends_on", "web", "condition")).toBe("service_healthy");
  });

  it("pictures, data and certificates are in volumes", () => {
    const volumes = Object.keys(at(compose, "volumes"));
    const [, dataDir] = /^ENV DATA_DIR=(.*)$/m.exec(dockerfile) ?? [];
    expect(at(services["web"] ?? "", "volumes", 0)).toBe(`pictures:${dataDir}`);
    for (const service of Object.values(services)) {
      const mounts = at(service, "volumes") as string[];
      const named = mounts.map((mount) => mount.split(":")[0] ?? "");
      for (const name of named.filter((one) => !one.startsWith(".")))
        expect(volumes).toContain(name);
      for (const path of named.filter((one) => one.startsWith("./")))
        expect(names).toContain(path.slice(2));
    }
  });

  it("Valkey keeps what it was told, as the guide wants it of a Redis", () => {
    const command = at(services["valkey"] ?? "", "command");
    const wanted = [
      "--appendonly yes",
      "--appendfsync everysec",
      "--maxmemory-policy noeviction",
      "--hash-max-listpack-value 2048",
      "--zset-max-listpack-entries 1024",
      "--tracking-table-max-keys 200000",
    ];
    for (const option of wanted) expect(command).toContain(option);
  });
});

describe("the dashboard and the alerts", () => {
  it("the dashboard has a row for people and one for the host", () => {
    const { panels } = dashboard();
    const rows = panels.filter(({ type }) => type === "row").map(({ title }) => title);
    expect(rows).toEqual(["People", "Host"]);
    const titles = panels.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    const questions = panels.filter(({ type }) => type !== "row");
    for (const { title, targets = [] } of questions)
      expect([title, targets.length]).toEqual([title, expect.toSatisfy((count) => count > 0)]);
  });

  it("each alert says how urgent it is, what is wrong and what to do", () => {
    const rules = alertRules();
    expect(rules.length).toBeGreaterThan(10);
    for (const rule of rules) {
      expect(at(rule, "labels", "severity")).toMatch(/^(page|ticket)$/);
      expect(at(rule, "annotations", "summary")).toMatch(/^.{10,}\.$/);
      expect(at(rule, "annotations", "remedy")).toMatch(/^.{10,}/);
    }
  });

  it.each(queries())("$where asks a question that Prometheus understands: $query", ({ query }) => {
    expect(parseQuery(query).selectors.length).toBeGreaterThan(0);
  });

  it.each([
    ["rate(some)", "a instant where a range is wanted"],
    ["sum by (a (b)", "( where , is wanted"],
    ["histogram_quantile(sum(a), 0.5)", "a instant where a scalar is wanted"],
    ["a[5m]", "a range has no value"],
    ["unknown(a)", "unknown function"],
    ['a{b="c"', "it ends too early"],
    ["a b", "unexpected b"],
    ["1 > 2", "> of two numbers"],
    ["a $ b", "unknown at"],
  ])("a query that Prometheus refuses is refused: %s", (query, reason) => {
    expect(() => parseQuery(query)).toThrow(reason);
  });
});
