import { subscribe } from "node:diagnostics_channel";
import { ServerResponse } from "node:http";
import { afterEach } from "vitest";

/** Milliseconds; a site of a test answers 503 long before. */
const patience = 30_000;

/**
 * Checks every answer of every server in the process of the tests: it has as many bytes as its Content-Length says,
 * and it comes. A wrong one fails the test that runs, or the next one. Whatever replaces methods of an answer ends in
 * Node's own.
 */
const shared = globalThis as {
  wrongAnswers?: string[];
  /** When the request of an answer that has not ended came; by performance.now(). */
  openAnswers?: Map<ServerResponse, number>;
};
if (shared.wrongAnswers === undefined) {
  shared.wrongAnswers = [];
  shared.openAnswers = new Map();
  checkAll(shared.wrongAnswers);
  watchAll(shared.openAnswers);
}

afterEach(() => {
  const wrong = shared.wrongAnswers?.splice(0) ?? [];
  if (wrong.length > 0) throw new Error(`answers that do not fit:\n${wrong.join("\n")}`);
  const missing = takeMissing(shared.openAnswers);
  if (missing.length > 0) throw new Error(`answers that do not come:\n${missing.join("\n")}`);
});

function watchAll(open: Map<ServerResponse, number>): void {
  subscribe("http.server.request.start", (message) => {
    const { response } = message as { response: ServerResponse };
    open.set(response, performance.now());
    response.once("close", () => open.delete(response));
  });
}

/** Answers that a client with a complete request has waited for too long. Streams of events stay open. */
function takeMissing(open: Map<ServerResponse, number> = new Map()): string[] {
  const missing: string[] = [];
  for (const [response, began] of open) {
    const { req, writableEnded, socket } = response;
    const isStream = String(response.getHeader("Content-Type")).startsWith("text/event-stream");
    const isWaiting = req.complete && !writableEnded && socket?.destroyed !== true;
    if (!isWaiting || isStream || performance.now() - began < patience) continue;
    open.delete(response);
    missing.push(`${req.method} ${req.url}`);
  }
  return missing;
}

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
