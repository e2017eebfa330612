import type { Response } from "supertest";
import { hiddenFields } from "../inspect/page.ts";
import type { Visitor } from "./visitor.ts";

interface Typed {
  text?: string;
  warning?: string;
  pictures?: Buffer[];
  descriptions?: string[];
  sensitive?: boolean;
  audience?: string;
  uploads?: string[];
  /** Of a page that was loaded before; default: of a new page. */
  nonce?: string;
}

/** Sends the composer's form as a browser without scripts does. */
export async function send(writer: Visitor, typed: Typed): Promise<Response> {
  const { text: page } = await writer.get("/").expect(200);
  const form = writer.agent.post("/tweets");
  const hidden = hiddenFields(page, "/tweets");
  if (typed.nonce !== undefined) hidden["nonce"] = typed.nonce;
  for (const [name, value] of Object.entries(hidden)) form.field(name, value);
  // In the order of the page: what stands behind the files must not be lost.
  form.field("text", typed.text ?? "");
  if (typed.warning !== undefined) form.field("warning", typed.warning);
  for (const [nth, bytes] of (typed.pictures ?? []).entries())
    form.attach("pictures", bytes, `picture-${nth}.jpg`);
  for (const [nth, one] of (typed.descriptions ?? []).entries())
    form.field(`description_${nth + 1}`, one);
  for (const upload of typed.uploads ?? []) form.field("uploads", upload);
  if (typed.audience !== undefined) form.field("audience", typed.audience);
  if (typed.sensitive === true) form.field("sensitive", "on");
  return await form;
}

/** Addresses of the pictures on a page. */
export const sources = (html: string) =>
  [...html.matchAll(/<img (?:class="u-photo" )?src="(\/pictures\/[^"]+)"/g)].map(
    ([, src = ""]) => src,
  );
