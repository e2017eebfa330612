import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { getPriority } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, it, onTestFinished } from "vitest";
import { draw } from "../../../src/domain/drawing/draw.ts";
import { Invalid, TooMany } from "../../../src/domain/errors.ts";
import { noise, picture, pngBomb } from "../../support/data/pictures.ts";
import { builtProgram } from "../../support/world/built-program.ts";

const run = promisify(execFile);

/** Ids of the processes that decode uploads for the process `parent`. */
async function drawers(parent = process.pid): Promise<number[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,command="]);
  const found = stdout.matchAll(/^ *(\d+) +(\d+) .*drawing\/child\.[jt]s$/gm);
  return [...found].filter(([, , ppid]) => Number(ppid) === parent).map(([, id]) => Number(id));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

const problems = async (drawing: Promise<unknown>) =>
  await drawing.then(
    () => "drawn",
    (error: unknown) => (error instanceof Invalid ? error.problems : error),
  );

/** Takes a second to decode and draw. */
const large = async () => await picture("png", { width: 5000, height: 5000 });

describe("the process that decodes uploads", () => {
  it("an upload is decoded in another process, which stays for the next", async () => {
    const avatar = await draw("avatar", await picture("jpeg"));
    expect(await sharp(avatar).metadata()).toMatchObject({ format: "webp", width: 192 });
    const before = await drawers();
    const { small, moving } = await draw("picture", await noise());
    expect([Buffer.isBuffer(small.bytes), small.width, moving]).toEqual([true, 256, false]);
    expect(before.length).toBeGreaterThan(0);
    expect(await drawers()).toEqual(before);
  });

  it("a refusal keeps its reason and its field", async () => {
    const bomb = pngBomb(40_000, 40_000);
    expect(await problems(draw("avatar", bomb))).toEqual({ avatar: "avatar.pixels" });
    expect(await problems(draw("header", Buffer.from("x")))).toEqual({ header: "avatar.format" });
    expect(await problems(draw("picture", bomb))).toEqual({ picture: "picture.pixels" });
  });

  it("an upload survives one end of the process; what ends it twice is refused as broken", async () => {
    const drawing = draw("picture", await large());
    await until(async () => (await endAll()) > 0);
    expect((await drawing).large.width).toBe(2048);

    const upload = await large();
    let outcome: unknown = "drawn";
    // It may be over before it was ended twice.
    while (outcome === "drawn") {
      let over = false;
      const twice = problems(draw("picture", upload)).finally(() => (over = true));
      await until(async () => (await endAll()) < 0 || over);
      outcome = await twice;
    }
    expect(outcome).toEqual({ picture: "picture.broken" });
    expect((await draw("avatar", await picture("png"))).length).toBeGreaterThan(0);
  });

  it("a signal to all processes of the site does not end a drawing", async () => {
    await draw("avatar", await picture("png"));
    const drawing = draw("picture", await large());
    for (const id of await drawers()) process.kill(id, "SIGTERM");
    expect((await drawing).small.width).toBe(960);
  });

  it("too many uploads at once are refused", async () => {
    const upload = await picture("png");
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, () => draw("avatar", upload)),
    );
    const refused = results.filter((one) => one.status === "rejected");
    expect(refused.length).toBeGreaterThan(10);
    expect(results.length - refused.length).toBeGreaterThan(10);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(TooMany);
  });

  it("users take turns, and an avatar does not wait for all pictures of tweets", async () => {
    const upload = await picture("png");
    const order: string[] = [];
    const drawAs = async (queue: string, client: string) => {
      await draw("avatar", upload, { place: { queue, client } });
      order.push(`${queue} of ${client}`);
    };
    const flood = Array.from({ length: 15 }, () => drawAs("tweets", "flood"));
    await Promise.all([...flood, drawAs("tweets", "ann"), drawAs("profiles", "bob")]);
    for (const quiet of ["tweets of ann", "profiles of bob"])
      expect(order.indexOf(quiet)).toBeLessThan(6);
  });

  it("a program ends while the process rests, and the process ends with it", async () => {
    const { child, said } = await startProgram(await picture("png"));
    const [code] = (await once(child, "exit")) as [number];
    const { drawer } = JSON.parse(await said) as Said;
    expect(code).toBe(0);
    await until(async () => Promise.resolve(!end(drawer, 0)));
  });

  it.runIf(process.platform === "linux")("all its threads have a low priority", async () => {
    const { said } = await startProgram(await picture("png"));
    const { niceness } = JSON.parse(await said) as Said;
    expect(niceness.length).toBeGreaterThan(4);
    expect(Math.min(...niceness)).toBe(Math.max(10, getPriority()));
  });

  it("the process ends with a program that is killed while it draws", async () => {
    const { child } = await startProgram(await large(), Infinity);
    await until(async () => (await drawers(child.pid)).length > 0);
    const [drawer = 0] = await drawers(child.pid);
    child.kill("SIGKILL");
    await until(async () => Promise.resolve(!end(drawer, 0)));
  });
});

/** Returns the number of processes. */
async function endAll(): Promise<number> {
  const ids = await drawers();
  for (const id of ids) end(id);
  return ids.length;
}

/** Sends a signal; 0 only asks. False if there is no such process. */
function end(id: number, signal: NodeJS.Signals | 0 = "SIGKILL"): boolean {
  try {
    return process.kill(id, signal);
  } catch {
    return false;
  }
}

/** `drawer`: id of the process that drew; `niceness` of all its threads. */
interface Said {
  drawer: number;
  niceness: number[];
}

/** A program that draws an upload so many times, and ends. */
async function startProgram(upload: Buffer, times = 1) {
  const folder = dirname(await builtProgram("start"));
  // A busy machine may stop a program at any point: here just before it sets a priority.
  const script = `
    import os from "node:os";
    import { syncBuiltinESMExports } from "node:module";
    const { setPriority } = os;
    os.setPriority = (...args) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      setPriority(...args);
    };
    syncBuiltinESMExports();
    import { execFileSync } from "node:child_process";
    import { readdirSync, readFileSync } from "node:fs";
    import { buffer } from "node:stream/consumers";
    const { draw } = await import("${join(folder, "domain/drawing/draw.js")}");
    const upload = await buffer(process.stdin);
    for (let time = 0; time < ${times}; time += 1) await draw("picture", upload);
    const all = execFileSync("ps", ["-A", "-o", "pid=,ppid=,command="], { encoding: "utf8" });
    const [, drawer] = new RegExp("^ *(\\\\d+) +" + process.pid + " .*child\\\\.js$", "m").exec(all);
    const tasks = "/proc/" + drawer + "/task/";
    const niceOf = (thread) =>
      Number(readFileSync(tasks + thread + "/stat", "utf8").replace(/.*\\) /, "").split(" ")[16]);
    const niceness = process.platform === "linux" ? readdirSync(tasks).map(niceOf) : [];
    console.log(JSON.stringify({ drawer: Number(drawer), niceness }));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = text(child.stdout);
  child.stdin.end(upload);
  return { child, said };
}
