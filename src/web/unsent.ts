import type { Request } from "express";
import { ownPath } from "./forms/safe-redirect.ts";
import { escapeMarkup } from "./present/markup.ts";

/** Characters; a form with more is kept by the browser, or not at all. */
const mostKept = 20_000;
/** What is typed anew each time. */
const secret = /pass|secret|token/i;

/** A form that was sent and could not be taken: all that is needed to send it again, as markup. */
export interface Unsent {
  action: string;
  fields: string;
}

/** Undefined for what is no form of texts, or has a secret in it, which no page is to show. */
export function unsentOf(req: Request): Unsent | undefined {
  const body: unknown = req.body;
  if (req.method !== "POST" || typeof body !== "object" || body === null) return undefined;
  const pairs = Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map((one: unknown): [string, unknown] => [name, one]),
  );
  const texts = pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const length = texts.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  const isWhole = texts.length === pairs.length && length <= mostKept;
  if (!isWhole || texts.some(([name]) => secret.test(name))) return undefined;
  return {
    action: escapeMarkup(ownPath(req.originalUrl)),
    fields: texts.map(([name, text]) => hidden(name, text)).join(""),
  };
}

function hidden(name: string, text: string): string {
  return `<input type="hidden" name="${escapeMarkup(name)}" value="${escapeMarkup(text)}">`;
}
