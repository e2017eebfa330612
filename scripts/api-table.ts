import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Access, type Endpoint, scopesOf } from "../src/web/api/endpoint.ts";
import { endpoints } from "../src/web/api/endpoints.ts";

/** `npx tsx scripts/api-table.ts`: writes the table of endpoints in docs/api.md, which a test compares with the code. */

const guide = new URL("../docs/api.md", import.meta.url);
const markers = ["<!-- made by scripts/api-table.ts -->\n\n", "\n\n<!-- end -->"] as const;
/** Summaries of methods that are there for apps, and do nothing. */
const unserved = new Set(["Always refused (422)", "Always empty", "Answers empty lists"]);

/** The table of all endpoints that do something. */
export function apiTable(): string {
  const served = endpoints.filter(({ summary }) => !unserved.has(summary));
  const rows = served
    .toSorted((one, other) => order(one).localeCompare(order(other)))
    .map((one) => [`\`${nameOf(one)}\``, tokenFor(one.access), one.summary, fieldsOf(one)]);
  const table = [["Endpoint", "Token", "What", "Fields"], ["---", "---", "---", "---"], ...rows];
  return table.map((cells) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |")).join("\n");
}

/** The table in the document, in the form of apiTable. */
export function tableIn(text: string): string {
  const table = text.split(markers[0])[1]?.split(markers[1])[0] ?? "";
  return table.replaceAll(/ +\|/g, " |").replaceAll(/-{3,}/g, "---").trim();
}

function nameOf({ method, path }: Endpoint): string {
  return `${method.toUpperCase()} ${path}`;
}

function order({ method, path }: Endpoint): string {
  return `${path} ${["get", "post", "put", "patch", "delete"].indexOf(method)}`;
}

function tokenFor(access: Access): string {
  if (access === "anybody") return "none";
  if (access === "app") return "of any app";
  const scopes = scopesOf(access).map((scope) => `\`${scope}\``);
  if (access.by === "app") return `${scopes.join(", ")}, of the app itself`;
  return `${access.optional === true ? "none or " : ""}${scopes.join(" or ")}`;
}

function fieldsOf({ query, body }: Endpoint): string {
  const names = new Set([...Object.keys(query?.shape ?? {}), ...Object.keys(body?.shape ?? {})]);
  return [...names].map((name) => `\`${name}\``).join(", ");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = readFileSync(guide, "utf8");
  const [before = "", rest = ""] = text.split(markers[0]);
  const after = rest.split(markers[1])[1] ?? "";
  writeFileSync(guide, before + markers[0] + apiTable() + markers[1] + after);
}
