import { readFileSync } from "node:fs";
import { days, minutes, type Row } from "../../../src/redis/key-rows.ts";

interface Documented {
  type: string;
  bound: string;
}

/** The rows of docs/redis-keys.md by name; "ID" stands for each part of a name that changes. */
export function documentedKeys(): Map<string, Documented> {
  const text = readFileSync(new URL("../../../docs/redis-keys.md", import.meta.url), "utf8");
  const rows = new Map<string, Documented>();
  for (const line of text.split("\n")) {
    const [, names = "", type = "", , bound = ""] = line
      .split(/(?<!\\)\|/)
      .map((one) => one.trim());
    if (!/^(`[^`]+`[, ]*)+$/.test(names)) continue;
    for (const [, name = ""] of names.matchAll(/`([^`]+)`/g))
      rows.set(name.replaceAll(/[A-Z]+|…/g, "ID"), { type, bound });
  }
  return rows;
}

/** The name of a row's keys as docs/redis-keys.md writes it. */
export function documentedName({ pattern, prefix }: Row): string {
  return (prefix === true ? `${pattern.replace(/:$/, "")}:ID` : pattern).replaceAll(/<\w+>/g, "ID");
}

/** What the documentation of a row does not say: its type, bound or time, as it should be written. */
export function undocumented(row: Row, rows = documentedKeys()): string[] {
  const documented = rows.get(documentedName(row));
  if (documented === undefined) return [`${documentedName(row)} has no row`];
  const { type, bound } = documented;
  const facts = [mostText(row), timeText(row)].filter((fact) => fact !== undefined);
  return [
    ...(row.type === undefined || type.startsWith(row.type) ? [] : [`type ${row.type}`]),
    ...facts.filter((fact) => !bound.includes(fact)),
  ].map((fact) => `${documentedName(row)}: ${fact}`);
}

function mostText({ most, newest }: Row): string | undefined {
  if (typeof most !== "number") return most;
  return `${newest === undefined ? "" : "the newest "}${most.toLocaleString("en")}`;
}

function timeText({ ttl }: Row): string | undefined {
  if (typeof ttl !== "number") return ttl === "sometimes" ? undefined : ttl;
  for (const [unit, seconds] of Object.entries({ day: days, hour: 60 * minutes, minute: minutes }))
    if (ttl % seconds === 0) return ttl === seconds ? unit : `${ttl / seconds} ${unit}s`;
  return `${ttl} seconds`;
}
