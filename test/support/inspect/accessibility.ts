import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The used part of axe's answer. */
interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[];
}

const viewports = [
  { width: 1280, height: 900 },
  { width: 360, height: 780 },
];

/** Violations found by axe at each width, in both themes. */
export async function findAccessibilityProblems(page: Page, path: string): Promise<string[]> {
  // The developer tools' evaluation: the page's own policy would refuse a script element.
  await page.evaluate(`${source};0`);
  const found: string[] = [];
  for (const viewport of viewports) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme: "light" });
    found.push(...(await axe(page, { type: "tag", values: tags }, `${path} ${viewport.width}`)));
    await page.emulateMedia({ colorScheme: "dark" });
    // The theme changes only colours.
    const contrast = { type: "rule", values: ["color-contrast"] };
    found.push(...(await axe(page, contrast, `${path} ${viewport.width} dark`)));
  }
  return found;
}

/** Runs the axe in the page. */
async function axe(page: Page, runOnly: object, where: string): Promise<string[]> {
  const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.map(
    ({ id, nodes }) =>
      `${where}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
  );
}
