import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

export interface Answer {
  status: number;
  location: string;
  /** Milliseconds from the request to the last byte. */
  took: number;
  /** Decompressed only where it is read. */
  text(): string;
}

/** Who asks: a cookie or a token, and an address. */
export type Identity = Record<string, string>;

/** Asks one site for pages, as many people do: over connections that stay open. */
export class Browser {
  /** Of its web processes: a proxy sends an address to always the same. */
  urls: string[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  async get(path: string, identity: Identity): Promise<Answer> {
    return await this.#send("GET", path, { ...identity, "accept-encoding": "gzip, br" });
  }

  async postForm(path: string, form: Record<string, string>, identity: Identity): Promise<Answer> {
    const type = "application/x-www-form-urlencoded";
    return await this.#send(
      "POST",
      path,
      { ...identity, "content-type": type },
      new URLSearchParams(form).toString(),
    );
  }

  async postJson(path: string, body: unknown, identity: Identity): Promise<Answer> {
    const type = "application/json";
    return await this.#send(
      "POST",
      path,
      { ...identity, "content-type": type },
      JSON.stringify(body),
    );
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(method: string, path: string, headers: Identity, body?: string): Promise<Answer> {
    const began = performance.now();
    const url = this.urls[lastOfAddress(headers) % this.urls.length];
    const asked = request(`${url}${path}`, { method, headers, agent: this.#agent });
    const [answer] = (await once(asked.end(body), "response")) as [IncomingMessage];
    const bytes = await buffer(answer);
    const { "content-encoding": encoding, location = "" } = answer.headers;
    return {
      status: answer.statusCode ?? 0,
      location,
      took: performance.now() - began,
      text: () => decompressed(bytes, encoding).toString(),
    };
  }
}

function lastOfAddress({ "x-forwarded-for": address = "" }: Identity): number {
  return Number(address.split(".").at(-1));
}

function decompressed(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "br") return brotliDecompressSync(bytes);
  return encoding === "gzip" ? gunzipSync(bytes) : bytes;
}
