import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import type { Browser } from "./lab/browser.ts";
import type { Drill } from "./lab/drill.ts";
import { inside } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import type { SiteProcess } from "./lab/site.ts";

const slow = 500;
const measured = 6000;
/** Requests that one of them sends at once, and milliseconds until the next one. */
const burst = 15;
const patience = 2000;
const mostMemory = 800;

export const slowClients: Drill = {
  number: 16,
  name: "slow-clients",
  fault: `${slow} slow clients: headers and forms byte by byte, pages asked for again and again and never read`,
  passes: "others' p95 < 2 × baseline",
  seconds: 120,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  report.answers.limit = 10_000;
  report.answers.tolerated.add(429);
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  lab.worker(redis.url);
  const web = await lab.web(redis.url);
  const load = await Load.prepare(lab, web, ctx, { users: 8 });
  for (const user of load.users) for (let nth = 0; nth < 4; nth += 1) await user.post("once");
  report.load = `8 users who read; ${slow} slow clients`;
  const readers = load.users.map(({ browser }) => browser);
  await p95(readers, 2000);
  const before = await p95(readers, measured);
  const clients = openSlowClients(lab, web, readers[0]);
  await load.during(3000);
  const during = await p95(readers, measured);
  const memory = await memoryOf(web);
  for (const socket of clients) socket.destroy();
  await load.during(2000);
  const after = await p95(readers, measured);
  const baseline = Math.max(before, after);
  await load.stop();
  report.notes.push(
    `p95 ${Math.round(during)} ms among slow clients, ${Math.round(before)} ms before, ${Math.round(after)} ms after`,
    `memory of the web process ${memory} MB`,
  );
  report.expect(during < 2 * baseline, "others wait for slow clients");
  report.expect(memory < mostMemory, `more than ${mostMemory} MB of memory`);
}

/** Milliseconds: each reader asks for home again and again. */
async function p95(readers: Browser[], milliseconds: number): Promise<number> {
  const deadline = performance.now() + milliseconds;
  const took: number[] = [];
  const read = async (reader: Browser) => {
    while (performance.now() < deadline) {
      took.push((await reader.get("/")).milliseconds);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  await Promise.all(readers.map(read));
  return took.toSorted((one, other) => one - other)[Math.floor(took.length * 0.95)] ?? Infinity;
}

type Habit = (socket: Socket, headers: string) => void;

/** One byte of the head of a request, again and again. */
const headersByByte: Habit = (socket) => {
  drip(socket, `GET / HTTP/1.1\r\nHost: drill.example\r\nX-Slow: ${"s".repeat(10_000)}`);
};

const formByByte: Habit = (socket, headers) => {
  socket.write(`POST /tweets HTTP/1.1\r\n${headers}Content-Length: 10000\r\n`);
  socket.write("Content-Type: application/x-www-form-urlencoded\r\n\r\n");
  drip(socket, `text=${"s".repeat(10_000)}`);
};

/** Asks for a page many times at once, and again and again, and reads nothing. */
const neverReads: Habit = (socket, headers) => {
  socket.pause();
  const request = `GET / HTTP/1.1\r\n${headers}\r\n`;
  socket.write(request.repeat(burst));
  const timer = setInterval(() => socket.write(request), patience);
  socket.once("close", () => clearInterval(timer));
};

const habits: Habit[] = [headersByByte, formByByte, neverReads, neverReads];

function openSlowClients(lab: Lab, { url }: SiteProcess, reader: Browser | undefined): Socket[] {
  const port = Number(new URL(url).port);
  const clients = Array.from({ length: slow }, (_, nth) => {
    const given = { ...reader?.headers, "X-Forwarded-For": `10.9.${nth >> 8}.${nth & 255}` };
    const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(port, "127.0.0.1");
    socket
      .on("error", () => {})
      .once("connect", () => {
        habits[nth % habits.length]?.(socket, `Host: drill.example\r\n${lines.join("")}`);
      });
    return socket;
  });
  lab.onClose(() => clients.forEach((socket) => socket.destroy()));
  return clients;
}

function drip(socket: Socket, text: string): void {
  let nth = 0;
  const timer = setInterval(() => socket.write(text[nth++] ?? "s"), 500);
  socket.once("close", () => clearInterval(timer));
}

/** Resident, in MB. */
async function memoryOf({ process: { child } }: SiteProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}
