import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { send, sources } from "../support/actors/composer.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { picture } from "../support/data/pictures.ts";
import { deployFile } from "../support/inspect/deploy-files.ts";
import { at, parseYaml } from "../support/inspect/yaml.ts";
import { builtProgram } from "../support/world/built-program.ts";
import { freePort } from "../support/world/ports.ts";
import { launchRedis } from "../support/world/redis-server.ts";
import { stranger, whyNoStranger } from "../support/world/stranger.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const textOf = async (path: string) => await readFile(join(root, path), "utf8");

const cookiesOf = (headers: Record<string, unknown>) =>
  [headers["set-cookie"]].flat().map((cookie) => String(cookie).split(";")[0] ?? "");

/** Docker gives a volume the owner of the folder in the image only as long as it is new. */
async function prepare(volume: string): Promise<void> {
  const isNew = await mkdir(volume).then(
    () => true,
    () => false,
  );
  if (!isNew) return;
  await chown(volume, stranger.uid, stranger.gid);
  await chmod(volume, 0o700);
}

function visitor(url: string): Visitor {
  const one = new Visitor(url);
  one.agent.set("X-Forwarded-Proto", "https");
  return one;
}

async function readiness(url: string): Promise<number> {
  return await fetch(`${url}/readyz`).then(
    ({ status }) => status,
    () => 0,
  );
}

async function becomesReady(url: string): Promise<void> {
  await expect.poll(() => readiness(url), { timeout: 30_000 }).toBe(200);
}

/** The second stage of the Dockerfile, line by line. */
async function lastStage(): Promise<string[]> {
  const text = await textOf("Dockerfile");
  const stages = text.replaceAll("\\\n", "").split(/^FROM /m);
  return (stages.at(-1) ?? "").split("\n").filter((line) => /^[A-Z]+ /.test(line));
}

describe("the image, imitated by its own steps", () => {
  const cleanups: (() => unknown)[] = [];
  let disk: string;
  let redisPort: number;
  beforeEach(async ({ skip }) => {
    const reason = await whyNoStranger();
    skip(reason !== undefined, reason);
    disk = await mkdtemp(join(tmpdir(), "suzume-test-"));
    await chmod(disk, 0o755);
    cleanups.push(() => rm(disk, { recursive: true, force: true }));
    redisPort = await freePort();
    await mkdir(join(disk, "redis"));
    const place = ["--port", redisPort, "--bind", "127.0.0.1", "--dir", join(disk, "redis")];
    const redis = launchRedis(place);
    cleanups.push(() => redis.kill());
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  /** A new container: files of root, and a volume that the image prepares if it is new. */
  async function createContainer(name: string, volume: string) {
    await builtProgram("web");
    const app = join(disk, name);
    await mkdir(app);
    const env: Record<string, string> = {};
    let user: object = {};
    let command: string[] = [];
    for (const line of await lastStage()) {
      const [, copied] = /^COPY --from=build \/app\/(\S+) \.\/(?:\1)?$/.exec(line) ?? [];
      const [, key = "", value = ""] = /^ENV (\w+)=(.*)$/.exec(line) ?? [];
      if (copied === "node_modules") await symlink(join(root, copied), join(app, copied));
      else if (copied !== undefined)
        await cp(join(root, copied), join(app, copied), { recursive: true });
      else if (key !== "") env[key] = value === "/data" ? volume : value;
      else if (line.startsWith("RUN install -d -o node -g node -m 700 /data"))
        await prepare(volume);
      else if (line === "USER node") user = stranger;
      else if (line.startsWith("CMD ")) command = JSON.parse(line.slice(4)) as string[];
      else if (!/^(WORKDIR|VOLUME|EXPOSE|HEALTHCHECK) /.test(line))
        throw new Error(`this test does not know ${line}`);
    }
    return { app, env, user, command };
  }

  /** What a process in the container is given, by compose.yaml too. */
  function surroundingsOf(env: Record<string, string>): Record<string, string> {
    const given = at(parseYaml(deployFile("compose.yaml")), "services", "web", "environment");
    const values: Record<string, string> = {
      DOMAIN: "suzume.example",
      SESSION_SECRET: "only-for-a-test-only-for-a-test-only",
    };
    const settings = Object.entries(given as Record<string, string>).map(([name, value]) => {
      const variable = /\$\{(\w+)(?::[-?]([^}]*))?\}/g;
      return [
        name,
        value.replaceAll(variable, (_all, key: string, usual = "") => values[key] ?? String(usual)),
      ];
    });
    return {
      PATH: process.env["PATH"] ?? "",
      ...env,
      ...(Object.fromEntries(settings) as Record<string, string>),
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      // The volume of this container.
      DATA_DIR: env["DATA_DIR"] ?? "",
      LOG_LEVEL: "error",
    };
  }

  async function start(name: string, volume: string) {
    const { app, env, user, command } = await createContainer(name, volume);
    const port = await freePort();
    const [program = "", ...args] = command;
    expect(program).toBe("node");
    const child = spawn(process.execPath, args, {
      cwd: app,
      env: { ...surroundingsOf(env), PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
      ...user,
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (said += String(chunk)));
    const exited = once(child, "close").then(([code]) => code as number | null);
    cleanups.push(async () => {
      child.kill("SIGKILL");
      await exited;
    });
    const url = `http://127.0.0.1:${port}`;
    /** Throws with what the process said if it ends before. */
    const untilReady = () => {
      const ended = exited.then((code) => Promise.reject(new Error(`ended with ${code}: ${said}`)));
      return Promise.race([becomesReady(url), ended]);
    };
    /** As `docker compose exec` runs a command of a shell, with /data where the volume is. */
    const exec = async (line: string) =>
      await promisify(execFile)("sh", ["-c", line.replaceAll("/data", volume)], {
        cwd: app,
        env: surroundingsOf(env),
        ...user,
      });
    return { url, child, exited, exec, untilReady, said: () => said };
  }

  it("uploads work in a new volume, are backed up there, and outlive the container", async () => {
    const volume = join(disk, "pictures");
    const first = await start("one", volume);
    await first.untilReady();
    const painter = visitor(first.url);
    const { headers } = await painter.signUp("painter");
    // Cookies of an https site are not sent over http, but for the proxy that this test is.
    painter.agent.set("Cookie", cookiesOf(headers));
    const png = await picture("png", { width: 300, height: 200 });
    expect((await send(painter, { text: "painted", pictures: [png] })).status).toBe(303);

    const [, nightly = ""] =
      /docker compose exec -T web sh -c '([^']+)'/.exec(await textOf("docs/operations.md")) ?? [];
    for (let night = 1; night <= 2; night += 1)
      expect((await first.exec(nightly)).stderr).toContain("is complete");
    const backups = (await readdir(volume)).filter((file) => file.startsWith("site-"));
    expect(backups).toEqual([expect.stringMatching(/^site-[1-7]\.backup$/)]);

    first.child.kill("SIGTERM");
    expect(await first.exited).toBe(0);

    const second = await start("two", volume);
    await second.untilReady();
    const { text } = await visitor(second.url).get("/@painter").expect(200);
    const [source = "nothing"] = sources(text);
    const shown = await visitor(second.url).get(source).expect(200);
    expect(shown.headers["content-type"]).toBe("image/webp");
  });

  it("in a volume of root, as of an older image, the start says whose it must be", async () => {
    const volume = join(disk, "pictures");
    await mkdir(volume);
    await chmod(volume, 0o755);
    const { exited, said } = await start("one", volume);
    expect(await exited).toBe(78);
    expect(said()).toContain("Give the folder DATA_DIR to the user that runs Suzume");
    expect(said()).toContain("EACCES");
  });

  it("nothing of the program can be written by the user that runs it", async () => {
    const { app, user } = await createContainer("one", join(disk, "pictures"));
    const child = spawn("touch", [join(app, "dist", "web.js"), join(app, "new")], user);
    const [code] = (await once(child, "close")) as [number];
    expect(code).not.toBe(0);
  });
});
