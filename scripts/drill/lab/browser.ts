import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { type Answer, type Answers, isForgotten } from "./answers.ts";

/** Where requests go; a drill may put another process there. */
export interface Door {
  url: string;
}

export type Fields = Record<string, string>;

const patience = 10_000;

const formType = { "Content-Type": "application/x-www-form-urlencoded" };
const sessionCookie = "__Host-suzume";

/** A user's browser behind an address of its own: keeps its cookies and its connections. */
export class Browser {
  /** The name of the user who must be shown as signed in; undefined where that is not certain. */
  viewer: string | undefined;
  #since = { sent: 0, answered: 0 };
  /** Changes with each log-in and log-out. */
  #session = 0;
  readonly #cookies = new Map<string, string>();
  readonly #door: Door;
  readonly #answers: Answers;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #address: string;

  constructor(door: Door, answers: Answers, address: string) {
    this.#door = door;
    this.#answers = answers;
    this.#address = address;
  }

  async get(path: string): Promise<Answer> {
    return await this.#send("GET", path);
  }

  /** `headers` are sent beside those of a browser. */
  async post(path: string, fields: Fields = {}, headers: Fields = {}): Promise<Answer> {
    const body = Buffer.from(new URLSearchParams(fields).toString());
    return await this.#send("POST", path, body, { ...formType, ...headers });
  }

  /** A form with files, by the names of their fields. */
  async postFiles(path: string, fields: Fields, files: Record<string, Buffer>): Promise<Answer> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const [name, bytes] of Object.entries(files))
      form.append(name, new Blob([new Uint8Array(bytes)]), "file");
    const encoded = new Response(form);
    const body = Buffer.from(await encoded.arrayBuffer());
    const type = encoded.headers.get("content-type") ?? "";
    return await this.#send("POST", path, body, { "Content-Type": type });
  }

  /** Whether the form was accepted. */
  async logIn(name: string, password: string): Promise<boolean> {
    return await this.#enter(name, "/login", { name, password });
  }

  async signUp(name: string, password: string): Promise<boolean> {
    return await this.#enter(name, "/signup", { name, fullname: `Drill ${name}`, password });
  }

  async logOut(): Promise<boolean> {
    this.viewer = undefined;
    this.#session += 1;
    return (await this.post("/logout")).status === 303;
  }

  /** The same user's session, as another browser has it. */
  adopt(other: Browser): void {
    for (const [name, cookie] of other.#cookies) this.#cookies.set(name, cookie);
    this.viewer = other.viewer;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #enter(name: string, path: string, fields: Fields): Promise<boolean> {
    this.viewer = undefined;
    this.#session += 1;
    this.#cookies.delete(sessionCookie);
    const sent = Date.now();
    const { status } = await this.post(path, fields);
    const accepted = status === 303 && this.#cookies.has(sessionCookie);
    if (accepted) this.viewer = name;
    this.#since = { sent, answered: Date.now() };
    return accepted;
  }

  async #send(method: string, path: string, body?: Buffer, more: Fields = {}): Promise<Answer> {
    const asked = { method, path, viewer: this.viewer, since: this.#since };
    const session = this.#session;
    const { answer, headers } = await this.#exchange(method, path, body, more);
    // After a log-in or log-out in another tab in between, this answer tells nothing of the new session, and the
    // cookie that it may take away is the new one.
    if (session !== this.#session) asked.viewer = undefined;
    else for (const cookie of headers["set-cookie"] ?? []) this.#keep(cookie);
    this.#answers.note(asked, answer, headers);
    if (asked.viewer !== undefined && isForgotten(answer)) this.viewer = undefined;
    return answer;
  }

  /** A cookie without a value is taken away. */
  #keep(cookie: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value === "") this.#cookies.delete(name);
    else this.#cookies.set(name, `${name}=${value}`);
  }

  async #exchange(
    method: string,
    path: string,
    body: Buffer | undefined,
    more: Fields,
  ): Promise<{ answer: Answer; headers: IncomingHttpHeaders }> {
    const began = performance.now();
    const milliseconds = () => performance.now() - began;
    return await new Promise((resolve) => {
      const fail = (error: NodeJS.ErrnoException) => {
        const status = failureOf(error);
        resolve({
          answer: { status, location: "", body: String(error), milliseconds: milliseconds() },
          headers: {},
        });
      };
      const sent = request(new URL(path, this.#door.url), {
        method,
        agent: this.#agent,
        signal: AbortSignal.timeout(patience),
        headers: { ...this.headers, ...more, ...(body && { "Content-Length": body.length }) },
      });
      sent.on("error", fail).on("response", (response) => {
        const { statusCode: status = 0, headers } = response;
        const parts: Buffer[] = [];
        response
          .on("data", (part: Buffer) => parts.push(part))
          .on("error", fail)
          .on("end", () => {
            const location = headers.location ?? "";
            const text = Buffer.concat(parts).toString();
            const answer = { status, location, body: text, milliseconds: milliseconds() };
            resolve({ answer, headers });
          });
      });
      sent.end(body);
    });
  }

  /** Who asks, for requests that are made in another way. */
  get headers(): Record<string, string> {
    return {
      "X-Forwarded-For": this.#address,
      "X-Forwarded-Proto": "https",
      "Accept-Language": "en",
      ...(this.#cookies.size === 0 ? {} : { Cookie: [...this.#cookies.values()].join("; ") }),
    };
  }
}

function failureOf(error: NodeJS.ErrnoException): "refused" | "reset" | "silent" {
  if (error.name === "TimeoutError" || error.name === "AbortError") return "silent";
  return error.code === "ECONNREFUSED" ? "refused" : "reset";
}

/** An address of its own for the user with this number: limits by address are not what is drilled. */
export function addressOf(nth: number): string {
  return `10.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}`;
}
