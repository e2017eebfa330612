import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { type Answer, type Answers, isForgotten } from "./answers.ts";

/** Where requests go; a drill may put another process there. */
export interface Door {
  url: string;
}

export type Fields = Record<string, string>;

const patience = 10_000;

/** A user's browser behind an address of its own: keeps its cookie and its connections. */
export class Browser {
  cookie = "";
  /** The name of the user who must be shown as signed in; undefined where that is not certain. */
  viewer: string | undefined;
  #since = 0;
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

  async post(path: string, fields: Fields = {}): Promise<Answer> {
    return await this.#send("POST", path, new URLSearchParams(fields).toString());
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
    const accepted = (await this.post("/logout")).status === 303;
    if (accepted) this.cookie = "";
    return accepted;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #enter(name: string, path: string, fields: Fields): Promise<boolean> {
    this.viewer = undefined;
    const accepted = (await this.post(path, fields)).status === 303 && this.cookie !== "";
    if (accepted) this.viewer = name;
    this.#since = Date.now();
    return accepted;
  }

  async #send(method: string, path: string, body?: string): Promise<Answer> {
    const asked = { method, path, viewer: this.viewer, since: this.#since };
    const { answer, headers } = await this.#exchange(method, path, body);
    const cookie = headers["set-cookie"]?.[0]?.split(";")[0];
    if (cookie !== undefined) this.cookie = cookie;
    this.#answers.note(asked, answer, headers);
    if (asked.viewer !== undefined && isForgotten(answer)) this.viewer = undefined;
    return answer;
  }

  async #exchange(
    method: string,
    path: string,
    body?: string,
  ): Promise<{ answer: Answer; headers: IncomingHttpHeaders }> {
    const began = performance.now();
    const milliseconds = () => performance.now() - began;
    return await new Promise((resolve) => {
      const fail = (error: NodeJS.ErrnoException) => {
        const status = failureOf(error);
        resolve({
          answer: { status, location: "", body: "", milliseconds: milliseconds() },
          headers: {},
        });
      };
      const sent = request(new URL(path, this.#door.url), {
        method,
        agent: this.#agent,
        signal: AbortSignal.timeout(patience),
        headers: { ...this.headers, ...(body === undefined ? {} : bodyHeaders(body)) },
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
      ...(this.cookie === "" ? {} : { Cookie: this.cookie }),
    };
  }
}

function bodyHeaders(body: string): Record<string, string> {
  return {
    "Content-Type": "application/x-www-form-urlencoded",
    "Content-Length": String(Buffer.byteLength(body)),
  };
}

function failureOf(error: NodeJS.ErrnoException): "refused" | "reset" | "silent" {
  if (error.name === "TimeoutError" || error.name === "AbortError") return "silent";
  return error.code === "ECONNREFUSED" ? "refused" : "reset";
}

/** An address of its own for the user with this number: limits by address are not what is drilled. */
export function addressOf(nth: number): string {
  return `10.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}`;
}
