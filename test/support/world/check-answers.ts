import { ServerResponse } from "node:http";
import { afterEach } from "vitest";

/**
 * Checks every answer of every server in the process of the tests: it has as many bytes as its Content-Length says. A
 * wrong one fails the test that runs, or the next one. Whatever replaces methods of an answer ends in Node's own.
 */
const shared = globalThis as { wrongAnswers?: string[] };
if (shared.wrongAnswers === undefined) {
  shared.wrongAnswers = [];
  checkAll(shared.wrongAnswers);
}

afterEach(() => {
  const wrong = shared.wrongAnswers?.splice(0) ?? [];
  if (wrong.length > 0) throw new Error(`answers that do not fit:\n${wrong.join("\n")}`);
});

function checkAll(wrong: string[]): void {
  const sent = new WeakMap<ServerResponse, number>();
  const { prototype } = ServerResponse;
  /** Node's `end` may call `write` itself. */
  const inside = new WeakSet<ServerResponse>();
  for (const name of ["write", "end"] as const) {
    const send = prototype[name] as (...args: unknown[]) => unknown;
    Object.assign(prototype, {
      [name](this: ServerResponse, ...args: unknown[]) {
        if (name === "end" && !this.writableEnded) this.once("finish", () => compare(this));
        if (!inside.has(this)) sent.set(this, (sent.get(this) ?? 0) + bytesOf(args));
        inside.add(this);
        try {
          return send.apply(this, args);
        } finally {
          inside.delete(this);
        }
      },
    });
  }

  const compare = (response: ServerResponse) => {
    const {
      req: { method = "", url = "" },
      statusCode,
    } = response;
    const { ["_header"]: head } = response as unknown as Record<string, unknown>;
    const declared = /^content-length: (\d+)\r$/im.exec(String(head))?.[1];
    // These have no body, whatever they are given.
    if (method === "HEAD" || statusCode === 204 || statusCode === 304) return;
    const bytes = sent.get(response) ?? 0;
    if (declared !== undefined && Number(declared) !== bytes)
      wrong.push(`${method} ${url} ${statusCode}: declared ${declared}, sent ${bytes} bytes`);
  };
}

function bytesOf([chunk, encoding]: unknown[]): number {
  if (chunk instanceof Uint8Array) return chunk.length;
  if (typeof chunk !== "string") return 0;
  return Buffer.byteLength(chunk, typeof encoding === "string" ? (encoding as "utf8") : "utf8");
}
