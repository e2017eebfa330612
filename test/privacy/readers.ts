import { Agent, request } from "node:http";
import type { Person } from "./rule.ts";

/** A client of the site; without a person it is signed out. */
export interface Reader {
  who: Person | undefined;
  /** What it is called in a report of leaks. */
  name: string;
  /** Session of its browser, or the token of its app: as the question needs it. */
  cookie: string;
  token: string;
}

export interface Asked {
  method: string;
  path: string;
  /** Sent with it, as JSON to the API and as a form to pages. */
  body?: Record<string, string> | undefined;
}

export interface Heard {
  status: number;
  type: string;
  /** Headers that may lead further, and the body. */
  text: string;
  body: Buffer;
}

/** Asks as browsers and apps do, on connections that stay open. */
export class Line {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  /** Number of requests so far. */
  count = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async ask(reader: Reader, { method, path, body }: Asked): Promise<Heard> {
    this.count += 1;
    const isApi = isForApps(path);
    const headers: Record<string, string> = { "Accept-Encoding": "identity" };
    if (reader.who !== undefined)
      if (isApi) headers["Authorization"] = `Bearer ${reader.token}`;
      else headers["Cookie"] = reader.cookie;
    const sent = body && (isApi ? JSON.stringify(body) : new URLSearchParams(body).toString());
    if (sent !== undefined)
      headers["Content-Type"] = isApi ? "application/json" : "application/x-www-form-urlencoded";
    return await new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: this.#port, agent: this.#agent };
      const asking = request({ ...options, method, path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const all = Buffer.concat(chunks);
          const { location = "", link = "", "content-type": type = "" } = answer.headers;
          const isText = /text|json|xml|csv|javascript/.test(type);
          const text = `${location}\n${String(link)}\n${isText ? all.toString() : ""}`;
          resolve({ status: answer.statusCode ?? 0, type, text, body: all });
        });
      });
      asking.on("error", (error: NodeJS.ErrnoException) => {
        // The server ended the connection while it was idle.
        if (asking.reusedSocket && error.code === "ECONNRESET")
          resolve(this.ask(reader, { method, path, body }));
        else reject(error);
      });
      asking.end(sent);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Whether a path is asked for with a token instead of a session. */
export function isForApps(path: string): boolean {
  return /^\/(api\/|oauth\/userinfo)/.test(path);
}
