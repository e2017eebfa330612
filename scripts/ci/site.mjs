import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What the surroundings may say about Redis and the like is not what a newcomer has. */
const UNSET = new Set(["REDIS_URL", "REDIS_TLS_URL", "DYNO", "NODE_ENV", "HOST", "BASE_URL"]);

/** A port that was free a moment ago. */
export function sparePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** `npm start` with all that it starts in a process group of its own, as in a terminal. */
export class Site {
  /** What it has written. */
  output = "";
  #child;
  #ended;
  #port;

  constructor(root, { port, dataDir }) {
    this.#port = port;
    const surroundings = Object.entries(process.env).filter(([name]) => !UNSET.has(name));
    this.#child = spawn("npm", ["start"], {
      cwd: root,
      env: { ...Object.fromEntries(surroundings), PORT: String(port), DATA_DIR: dataDir },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on("data", (chunk) => {
        this.output += chunk;
      });
    }
    this.#ended = new Promise((resolve) => {
      this.#child.once("error", resolve).once("exit", resolve);
    });
  }

  /** Resolves once the page is served; throws if the site ends before or it takes too long. */
  async opensWithin(milliseconds) {
    const url = `http://127.0.0.1:${this.#port}/`;
    const deadline = performance.now() + milliseconds;
    while (performance.now() < deadline) {
      if (this.#child.exitCode !== null) throw new Error("npm start ended by itself");
      const response = await fetch(url, { signal: AbortSignal.timeout(5000) }).catch(() => {});
      await response?.text();
      if (response?.status === 200) return;
      await sleep(100);
    }
    throw new Error(`${url} does not answer after ${milliseconds / 1000} s`);
  }

  /** As the terminal does on Ctrl-C: every process of the group gets the signal. */
  signal(name) {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  }

  killNpm() {
    this.#child.kill("SIGKILL");
  }

  /** Whether npm has ended and the port is free again, within the time. */
  async endsWithin(milliseconds) {
    const timeout = sleep(milliseconds, "late", { ref: false });
    const deadline = performance.now() + milliseconds;
    if ((await Promise.race([this.#ended, timeout])) === "late") return false;
    while (await isListening(this.#port)) {
      if (performance.now() > deadline) return false;
      await sleep(50);
    }
    return true;
  }
}

function isListening(port) {
  return new Promise((resolve) => {
    const connection = connect(port, "127.0.0.1");
    connection.once("error", () => resolve(false));
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
  });
}
