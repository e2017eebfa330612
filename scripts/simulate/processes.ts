import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Lab, settings } from "../bench/lab.ts";
import { sparePort } from "../bench/site.ts";
import type { Answer, Told } from "./child.ts";
import type { DayClock } from "./clock.ts";
import { limitsAt } from "./limits.ts";
import { hour } from "./rhythm.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = fileURLToPath(new URL("child.ts", import.meta.url));
/**
 * In this time of the day a process forgets what nobody has read, whatever the size: the same visitors find the same. It
 * is the minute of a site in the day of 100,000 people.
 */
const memoryIdle = hour;
/** Real milliseconds in which a process must have started, and ended. */
const patience = { start: 60_000, end: 15_000 };

/** A web process or a worker with the clock of the day. */
export class SiteProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(kind: "web" | "worker", lab: Lab, clock: DayClock): Promise<SiteProcess> {
    const { PATH = "", HOME = "" } = process.env;
    const port = await sparePort();
    const environment = {
      PATH,
      HOME,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      ...settings,
      ...limitsAt(clock.pace),
      BIG_ACCOUNT_FOLLOWERS: "",
      MEMORY_MEGABYTES: "128",
      LOG_LEVEL: "error",
      REDIS_URL: lab.socket,
      DATA_DIR: lab.dataDir,
      PORT: String(port),
      INLINE_WORKER: "false",
      // Each person has an address of their own.
      TRUST_PROXY: "1",
    };
    const idle = memoryIdle / clock.pace;
    const child = fork(program, [kind, String(clock.now()), String(idle)], {
      cwd: root,
      env: environment,
      execArgv: ["--import", "tsx"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const late = setTimeout(() => child.kill("SIGKILL"), patience.start);
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`the ${kind} process ended with ${code} before it was ready`);
    });
    ended.catch(() => {});
    await Promise.race([once(child, "message"), ended]);
    clearTimeout(late);
    return new SiteProcess(child, `http://127.0.0.1:${port}`);
  }

  tell(told: Told): void {
    if (this.#child.connected) this.#child.send(told, () => {});
  }

  /** Seconds of processor time since it started. */
  async cpuSeconds(): Promise<number> {
    if (!this.#child.connected) return 0;
    const answered = once(this.#child, "message");
    this.tell("usage");
    const [message] = (await answered) as [Answer];
    return message === "ready" ? 0 : message.cpuSeconds;
  }

  /** Ends it at once, as a power cut does. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    this.tell("end");
    await this.#end();
  }

  async #end(signal?: "SIGKILL"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    if (signal !== undefined) this.#child.kill(signal);
    const killer = setTimeout(() => this.#child.kill("SIGKILL"), patience.end);
    await ended;
    clearTimeout(killer);
  }
}
