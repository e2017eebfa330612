import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lab } from "./lab.ts";
import type { SiteProcess } from "./site.ts";

/** Milliseconds until a client whose connection was closed opens another one. */
const pause = 500;

/** The beginning of a request, and then nothing. */
export interface Silent {
  /** Number of the client's address: 127.0.0.N, behind the proxy 198.51.100.N. */
  from: number;
  path: string;
  type: string;
  /** Declared length of the body. */
  length: number;
  headers?: Record<string, string>;
  /** What is sent of the body. */
  body: string;
}

/** Keeps all of them open, again and again, until the result is called. */
export function floodWith(lab: Lab, { url }: SiteProcess, silents: Silent[]): () => void {
  const over = new AbortController();
  const sockets = new Set<Socket>();
  const stop = () => {
    over.abort();
    for (const socket of sockets) socket.destroy();
  };
  lab.onClose(stop);
  const port = Number(new URL(url).port);
  const keepOpen = async (silent: Silent) => {
    while (!over.signal.aborted) {
      const socket = connect({ port, host: "127.0.0.1", localAddress: `127.0.0.${silent.from}` });
      sockets.add(socket);
      socket.on("error", () => {}).resume();
      socket.write(headOf(silent) + silent.body);
      await new Promise((resolve) => socket.once("close", resolve));
      sockets.delete(socket);
      await sleep(pause);
    }
  };
  for (const silent of silents) void keepOpen(silent);
  return stop;
}

function headOf({ from, path, type, length, headers }: Silent): string {
  const all = {
    Host: "drill.example",
    "X-Forwarded-Proto": "https",
    ...headers,
    "X-Forwarded-For": `198.51.100.${from}`,
    "Content-Type": type,
    "Content-Length": String(length),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
