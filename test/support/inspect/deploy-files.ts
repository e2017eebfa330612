import { readFileSync } from "node:fs";
import { at, parseYaml, type Yaml } from "./yaml.ts";

/** The text of a file that docs/operations.md has hosts copy. */
export function deployFile(name: string): string {
  return readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), "utf8");
}

export interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

export interface Dashboard {
  panels: Panel[];
}

export const dashboard = (): Dashboard => JSON.parse(deployFile("grafana.json")) as Dashboard;

export function alertRules(): Record<string, Yaml>[] {
  const groups = at(parseYaml(deployFile("alerts.yaml")), "groups") as Yaml[];
  return groups.flatMap((group) => at(group, "rules") as Record<string, Yaml>[]);
}

/** Every query of the dashboard and the alerts, by where it stands. */
export function queries(): { where: string; query: string }[] {
  const ofPanels = dashboard().panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: title, query: expr })),
  );
  const ofRules = alertRules().map(({ alert, expr }) => ({
    where: alert as string,
    query: expr as string,
  }));
  return [...ofPanels, ...ofRules];
}
