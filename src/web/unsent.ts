import type { Request } from "express";
import { safePath } from "./forms/safe-redirect.ts";
import { escapeMarkup } from "./present/markup.ts";

/** Max characters; larger forms are not kept in the page. */
const mostKept = 20_000;
/** Fields that must be typed again each time. */
const secret = /pass|secret|token|code/i;

/** A form that could not be processed, as markup that sends it again. */
export interface Unsent {
  action: string;
  fields: string;
}

/**
 * Undefined if the body is not a form of texts, is too long or contains a secret: pages must not show
 * secrets.
 */
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
    action: escapeMarkup(safePath(req.originalUrl)),
    fields: texts.map(([name, text]) => hidden(name, text)).join(""),
  };
}

function hidden(name: string, text: string): string {
  return `<input type="hidden" name="${escapeMarkup(name)}" value="${escapeMarkup(text)}">`;
}
