import type { ClientId, UserId } from "../domain/ids.ts";
import { partForms, type Row } from "../redis/key-rows.ts";
import { type KeyName, keyTable } from "../redis/keys.ts";

/** A key, or a member of a sorted set, or a field of a hash. */
export interface Item {
  key: string;
  name: KeyName;
  /** The variable parts of the key's name. */
  parts: string[];
  /** The first of them; mostly the id of its user or tweet. */
  owner: string;
  /** The member or field; empty for the key itself. */
  id: string;
  /** Its score or value. */
  value: string;
}

/** All facts about the keys of a name. */
export function rowOf(name: KeyName): Row {
  return keyTable[name];
}

/** The jobs that erase the users whom an item names: in the parts of its key, or as the member. */
export function erasuresOf({ name, parts, id }: Item): string[] {
  const { pattern, members } = rowOf(name);
  const places = [...pattern.matchAll(/<(\w+)>/g)].map(([, part]) => part);
  const named = parts.filter((_, nth) => places[nth] === "user");
  return [...named, ...(members === "user" ? [id] : [])].map((user) => `erase ${user}`);
}

/** The function that finds the row of a key; undefined for a key that is in none. */
export function recognizer(table: Readonly<Record<string, Row>>) {
  /** By the text before the first colon; exact patterns come before general ones. */
  const patterns = new Map<string, { name: string; pattern: RegExp }[]>();
  for (const [name, row] of Object.entries(table)) {
    const head = headOf(row.pattern);
    patterns.set(head, [...(patterns.get(head) ?? []), { name, pattern: patternOf(row) }]);
  }
  return (key: string): Item | undefined => {
    for (const { name, pattern } of patterns.get(headOf(key)) ?? []) {
      const [all, ...parts] = pattern.exec(key) ?? [];
      if (all === undefined) continue;
      return { key, name: name as KeyName, parts, owner: parts[0] ?? "", id: "", value: "" };
    }
    return undefined;
  };
}

export const recognize = recognizer(keyTable);

function headOf(key: string): string {
  return key.split(":", 1)[0] ?? "";
}

function patternOf({ pattern, prefix }: Row): RegExp {
  const whole = prefix === true ? `${pattern.replace(/:$/, "")}:<rest>` : pattern;
  const literal = whole.replaceAll(/[{}]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll(/<(\w+)>/g, (_, part) => `(${partForms[part]})`)}$`);
}

/** Ids that no user and no app has: for a target about which there is nothing to ask. */
export const none = { user: "0" as UserId, app: "-".repeat(32) as ClientId };

/** The fields of a stored JSON object; none if it is damaged. */
export function parseObject(text: string | null): Partial<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text ?? ""));
  } catch {
    return {};
  }
}

export function groupBy<T, Key>(targets: readonly T[], keyOf: (target: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const target of targets) {
    const group = groups.get(keyOf(target));
    if (group === undefined) groups.set(keyOf(target), [target]);
    else group.push(target);
  }
  return groups;
}
