import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach } from "vitest";

/**
 * Checks every answer of every server in the process of the tests: it has as many bytes as its Content-Length says, and
 * none where there must be none. A wrong one fails the test that runs.
 */
const wrong: string[] = [];

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

const shared = globalThis as { checksAnswers?: string[] };
if (shared.checksAnswers === undefined) {
  shared.checksAnswers = wrong;
  subscribe("http.server.request.start", (message) => check(message as Exchange, wrong));
}

afterEach(() => {
  const found = shared.checksAnswers?.splice(0) ?? [];
  if (found.length > 0) throw new Error(`answers that do not fit:\n${found.join("\n")}`);
});

function check({ request, response }: Exchange, problems: string[]): void {
  let sent = 0;
  const count = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === "string")
      sent += Buffer.byteLength(
        chunk,
        typeof encoding === "string" ? (encoding as "utf8") : "utf8",
      );
    else if (chunk instanceof Uint8Array) sent += chunk.length;
  };
  for (const name of ["write", "end"] as const) {
    const send = response[name].bind(response) as (...args: unknown[]) => never;
    let isInside = false;
    Object.assign(response, {
      [name]: (...args: unknown[]) => {
        if (!isInside) count(args[0], args[1]);
        isInside = true;
        try {
          return send(...args);
        } finally {
          isInside = false;
        }
      },
    });
  }
  response.once("finish", () => {
    const { method = "", url = "" } = request;
    const { statusCode } = response;
    const { ["_header"]: head } = response as unknown as Record<string, unknown>;
    const declared = /^content-length: (\d+)\r$/im.exec(String(head))?.[1];
    const isBodiless = method === "HEAD" || statusCode === 204 || statusCode === 304;
    if (isBodiless || declared === undefined || Number(declared) === sent) return;
    problems.push(`${method} ${url} ${statusCode}: declared ${declared}, sent ${sent} bytes`);
  });
}
