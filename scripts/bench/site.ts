import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { classNames, limitClasses } from "../../src/domain/limit-classes.ts";
import { limitSettingNames } from "../../src/domain/limits.ts";
import { type Lab, password, settings } from "./lab.ts";
import type { Sent } from "./load.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A process of the built site, as it runs in production but for its log level. */
export interface Running {
  url: string;
  stop(): Promise<void>;
}

export async function startWeb(
  lab: Lab,
  environment: Record<string, string> = {},
): Promise<Running> {
  const port = await sparePort();
  const more = { PORT: String(port), INLINE_WORKER: "false", ...environment };
  const child = launch(lab, ["dist/web.js"], { ...settings, ...more });
  const url = `http://127.0.0.1:${port}`;
  await untilUp(`${url}/readyz`, child);
  return { url, stop: () => stop(child) };
}

/** The same with limits that no load reaches. */
export async function startUnlimitedWeb(
  lab: Lab,
  environment: Record<string, string> = {},
): Promise<Running> {
  return await startWeb(lab, { ...unlimited, ...environment });
}

/** Limits that no load reaches. */
export const unlimited = {
  LIMIT_FIRST_DAY: "100%",
  ...Object.fromEntries(
    classNames.map((name, nth) => [
      limitSettingNames[nth],
      limitClasses[name].limit.replaceAll(/\d+\//g, "100000000/"),
    ]),
  ),
};

export async function startWorker(
  lab: Lab,
  environment: Record<string, string> = {},
): Promise<Running> {
  const child = launch(lab, ["dist/worker.js"], { ...settings, ...environment });
  await sleep(700);
  return { url: "", stop: () => stop(child) };
}

/** An Express that sends this answer and does nothing else. */
export async function startLimits(lab: Lab, { body, encoding, type }: Sent): Promise<Running> {
  const port = await sparePort();
  const environment = { PORT: String(port), BENCH_ENCODING: encoding, BENCH_TYPE: type };
  const child = launch(lab, ["--import", "tsx", "scripts/bench/limit-server.ts"], environment);
  child.stdin?.end(body);
  const url = `http://127.0.0.1:${port}`;
  await untilUp(`${url}/fixed`, child);
  return { url, stop: () => stop(child) };
}

function launch(lab: Lab, args: string[], environment: Record<string, string>): ChildProcess {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      PATH,
      HOME,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      REDIS_URL: lab.socket,
      DATA_DIR: lab.dataDir,
      ...environment,
    },
    stdio: ["pipe", "ignore", "inherit"],
  });
  lab.onClose(() => stop(child));
  return child;
}

async function untilUp(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`ended with exit code ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.text();
    if (answer?.ok === true) return;
    await sleep(50);
  }
  throw new Error(`${url} does not answer`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(killer);
}

export async function sparePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Logs in by the form and returns the cookies. */
export async function logIn(site: Running, name: string): Promise<string> {
  const answer = await fetch(`${site.url}/login`, {
    method: "POST",
    body: new URLSearchParams({ name, password }),
    redirect: "manual",
  });
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  if (cookie === "") throw new Error(`${name} could not log in: ${answer.status}`);
  return cookie;
}

export async function postTweet(site: Running, cookie: string, text: string): Promise<void> {
  await postForm(site, cookie, "/tweets", { text });
}

export async function postForm(
  site: Running,
  cookie: string,
  path: string,
  form: Record<string, string>,
): Promise<void> {
  const answer = await fetch(`${site.url}${path}`, {
    method: "POST",
    headers: { cookie },
    body: new URLSearchParams(form),
    redirect: "manual",
  });
  if (answer.status !== 303) throw new Error(`POST ${path} answered ${answer.status}`);
}

/** Resolves once no delivery waits or runs. */
export async function untilIdle(lab: Lab): Promise<void> {
  for (;;) {
    const counts = await lab.ctx.jobs.counts();
    const open = counts.filter(({ queue, state }) => queue !== "chores" && state !== "failed");
    if (open.every(({ count }) => count === 0)) return;
    await sleep(10);
  }
}
