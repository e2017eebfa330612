import type { Request, Response } from "express";
import { compress } from "./compress.ts";

/** Headers and body of an answer belong together: both are replaced at once. */
export interface Answer {
  headers: ReadonlyMap<string, string>;
  /** `headers` as Node writes them without looking at each: name, value, name, value … */
  rawHeaders: readonly string[];
  /** The bytes of the body as latin1: Node writes headers and text to the socket in one piece. */
  text: string;
}

/** Headers of the connection or of the single answer; not kept. */
const ownHeaders = /^(connection|keep-alive|date|transfer-encoding|x-ratelimit-\w+)$/;

/** The answer with a new body. */
export function answerAgain(req: Request, { headers: before }: Answer, html: Buffer): Answer {
  const { encoding, bytes } = compress(req, html);
  const headers = new Map([...before, ["content-length", String(bytes.length)]]);
  headers.delete("content-encoding");
  if (encoding !== "") headers.set("content-encoding", encoding);
  return answerOf(bytes, headers);
}

export function answerOf(body: Buffer, headers: ReadonlyMap<string, string>): Answer {
  return { headers, rawHeaders: [...headers].flat(), text: body.toString("latin1") };
}

export function headersOf(res: Response): Map<string, string> {
  const all = Object.entries(res.getHeaders()).filter(([name]) => !ownHeaders.test(name));
  return new Map(all.map(([name, value]) => [name, String(value)]));
}
