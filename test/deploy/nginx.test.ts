import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { send, sources } from "../support/actors/composer.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { picture } from "../support/data/pictures.ts";
import { deployFile } from "../support/inspect/deploy-files.ts";
import { hasProgram } from "../support/world/host-program.ts";
import { freePort } from "../support/world/ports.ts";
import { type SiteProcess, startSiteProcess } from "../support/world/site-process.ts";

const run = promisify(execFile);
/** A certificate of no authority. */
const certificate = (name: string) =>
  fileURLToPath(new URL(`../backup/tls/${name}.pem`, import.meta.url));

/** A number or word that is among these. */
const oneOf = (options: unknown[]): unknown =>
  expect.toSatisfy((value: unknown) => options.includes(value));

describe.skipIf(!hasProgram("nginx", "-v"))("a site behind nginx", () => {
  const cleanups: (() => unknown)[] = [];
  let folder: string;
  let site: SiteProcess;
  let plainPort: number;
  let port: number;
  let main: string;

  /** A browser that speaks https with nginx. */
  function visitor(): Visitor {
    const one = new Visitor(`https://127.0.0.1:${port}`);
    one.agent.disableTLSCerts();
    return one;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "suzume-test-"));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    site = await startSiteProcess({
      NODE_ENV: "production",
      BASE_URL: "https://suzume.example",
      SESSION_SECRET: "only-for-a-test-only-for-a-test-only",
      TRUST_PROXY: "1",
    });
    cleanups.push(() => site.kill());
    [plainPort, port] = [await freePort(), await freePort()];
    const own = deployFile("nginx.conf")
      .replaceAll(/^ *listen \[::\]:.*\n/gm, "")
      .replace("listen 80;", `listen 127.0.0.1:${plainPort};`)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
      .replace("127.0.0.1:3000", `127.0.0.1:${site.port}`)
      .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate("cert")};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${certificate("key")};`);
    await writeFile(join(folder, "suzume.conf"), own);
    main = join(folder, "nginx.conf");
    await writeFile(main, around(folder));
    const server = spawn("nginx", ["-c", main, "-p", folder], { stdio: "ignore" });
    const ended = new Promise((resolve) => server.once("exit", resolve));
    cleanups.push(async () => {
      server.kill();
      await ended;
    });
    await vi.waitFor(async () => await visitor().get("/healthz").expect(200), 20_000);
  });
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  it("nginx -t finds nothing wrong, the addresses of the guide included", async () => {
    const whole = join(folder, "whole.conf");
    const text = deployFile("nginx.conf").replaceAll(
      /\/etc\/letsencrypt\/.*\/(fullchain|privkey)\.pem/g,
      (_path, kind: string) => certificate(kind === "fullchain" ? "cert" : "key"),
    );
    await writeFile(join(folder, "suzume-whole.conf"), text);
    await writeFile(whole, around(folder).replace("suzume.conf", "suzume-whole.conf"));
    const { stderr } = await run("nginx", ["-t", "-c", whole, "-p", folder]);
    expect(stderr).toContain("test is successful");
  });

  it("plain http leads to https, and https is the site", async () => {
    const plain = await fetch(`http://127.0.0.1:${plainPort}/about?a=b`, {
      redirect: "manual",
      headers: { Host: "suzume.example" },
    });
    expect(plain.status).toBe(301);
    expect(plain.headers.get("location")).toMatch(/^https:\/\/.*\/about\?a=b$/);
    const answer = await visitor().get("/about").expect(200);
    expect(answer.headers["strict-transport-security"]).toMatch(/max-age=\d+/);
  });

  it("tweets with pictures arrive, and the pictures are shown", async () => {
    const writer = visitor();
    await writer.signUp("painter");
    const png = await picture("png", { width: 1200, height: 900 });
    const { status } = await send(writer, { text: "painted", pictures: [png, png, png, png] });
    expect(status).toBe(303);
    const { text } = await writer.get("/@painter").expect(200);
    const [source = ""] = sources(text);
    const shown = await writer.get(source).expect(200);
    expect(shown.headers["content-type"]).toBe("image/webp");
  });

  it.each([0, 1, 1_000, 1_100_000, 5_000_000, 15_000_000, 20_000_000, 24_500_000])(
    "the site itself answers forms with a file of %d bytes, from users and strangers",
    async (bytes) => {
      const user = visitor();
      await user.signUp(`user${bytes}`);
      for (const one of [user, visitor()])
        for (const path of ["/settings/data", "/settings/avatar", "/tweets"]) {
          const answer = await one.agent
            .post(path)
            .attach("file", Buffer.alloc(bytes, "a,b\n"), "file.csv");
          expect([path, answer.status]).toEqual([path, oneOf([303, 401, 413, 422])]);
          expect(answer.text).not.toContain("nginx");
        }
    },
  );

  it("an import of almost 20 MB is accepted", async () => {
    const user = visitor();
    await user.signUp("importer");
    const lines = Buffer.alloc(19_900_000, "time,text\n2020-01-01T00:00:00Z,a bird\n");
    const answer = await user.agent.post("/settings/data").attach("file", lines, "tweets.csv");
    expect([answer.status, answer.text]).toEqual([
      oneOf([303, 422]),
      expect.not.stringContaining("nginx"),
    ]);
  });

  it("what is larger than any form nginx refuses by itself", async () => {
    const answer = await visitor()
      .agent.post("/tweets")
      .attach("file", Buffer.alloc(27_000_000), "x");
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining("nginx")]);
  });

  it("clients cannot choose their own address", async () => {
    // As many wrong passwords as one address may have, each from another address as they claim.
    const statuses = new Set<number>();
    for (let nth = 1; nth <= 12; nth += 1) {
      const { status } = await visitor()
        .agent.post("/login")
        .set("X-Forwarded-For", `192.0.2.${nth}`)
        .type("form")
        .send({ name: "painter", password: `wrong ${nth}` });
      statuses.add(status);
    }
    expect([...statuses]).toEqual([422, 429]);
  });

  it("an open page is told of a new tweet at once", async () => {
    const [reader, writer] = [visitor(), visitor()];
    await writer.signUp("singer");
    const { headers } = await reader.signUp("listener");
    await reader.follow("singer");
    const cookies = [headers["set-cookie"]].flat().map((one) => String(one).split(";")[0]);
    const page = request({
      host: "127.0.0.1",
      port,
      path: "/live",
      rejectUnauthorized: false,
      headers: { Cookie: cookies.join("; "), Accept: "text/event-stream" },
    });
    cleanups.push(() => page.destroy());
    let heard = "";
    const opened = new Promise((resolve) => page.once("response", resolve));
    page.end().on("error", () => {});
    const answer = (await opened) as IncomingMessage;
    expect(answer.statusCode).toBe(200);
    answer.on("data", (chunk) => (heard += String(chunk))).on("error", () => {});
    await writer.tweet("heard at once");
    await expect.poll(() => heard, { timeout: 20_000 }).toMatch(/^event: /m);
  });

  it("apps open WebSockets", async () => {
    const socket = new WebSocket(`wss://127.0.0.1:${port}/api/v1/streaming?stream=public`, {
      rejectUnauthorized: false,
      headers: { Host: "suzume.example" },
    });
    const outcome = await new Promise((resolve) => {
      socket.once("open", () => resolve("open"));
      // Without a token the site refuses it, but understands what is asked.
      socket.once("unexpected-response", (_request, answer) => resolve(answer.statusCode));
      socket.once("error", (error) => resolve(error.message));
    });
    socket.terminate();
    expect(outcome).toEqual(oneOf(["open", 401]));
  });
});

/** The rest of a configuration, as a distribution has it. */
function around(place: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const paths = temporary.map((name) => `${name}_temp_path ${join(place, name)};`);
  const user = process.getuid?.() === 0 ? "user root;" : "";
  return `daemon off; ${user} pid ${join(place, "nginx.pid")}; error_log ${join(place, "error.log")};
    events {}
    http { access_log off; ${paths.join(" ")} include ${join(place, "suzume.conf")}; }\n`;
}
