import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boot, type Booted } from "../src/boot.ts";
import { parseConfig } from "../src/config.ts";
import { getResetLink } from "../src/domain/accounts/reset-links.ts";
import { createUser } from "../src/domain/users/sign-up.ts";
import { type PrivateServer, startPrivateServer } from "../src/redis/private-server.ts";
import { runAdmin } from "./support/world/admin-process.ts";

describe("npm run admin", () => {
  let dataDir: string;
  let server: PrivateServer;
  let booted: Booted;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "suzume-admin-"));
    server = await startPrivateServer({ dataDir });
    const config = parseConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
    booted = await boot(config, { socket: server.socket });
    await createUser(booted.ctx, { name: "Owl", fullname: "Owl", pass: "none" });
  });
  afterAll(async () => {
    await booted.close();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const run = (...parameters: string[]) =>
    runAdmin(parameters, { REDIS_URL: "", DATA_DIR: dataDir, PORT: "4711" });

  it("npm run admin prints a reset link while the site runs on its private Redis", async () => {
    const { code, output, errors } = await run("reset-password", "owl");
    expect([code, errors]).toEqual([0, ""]);
    const [, token = ""] = /^http:\/\/localhost:4711\/reset\/(\S+)\n$/.exec(output) ?? [];
    expect((await getResetLink(booted.ctx, token)).user.name).toBe("Owl");
    // The private Redis goes on.
    expect(await booted.ctx.redis.ping()).toBe("PONG");
  });

  it("npm run admin prints a link that also removes passkeys and authenticator app, if asked for it", async () => {
    for (const [command, removesFactors] of [
      ["reset-password", false],
      ["reset-factors", true],
    ] as const) {
      const { output } = await run(command, "owl");
      const token = output.trim().replace(/.*\/reset\//, "");
      expect(await getResetLink(booted.ctx, token)).toMatchObject({ removesFactors });
    }
  });

  it("npm run admin names a missing user", async () => {
    const { code, output, errors } = await run("reset-password", "nobody");
    expect([code, output, errors]).toEqual([1, "", "suzume: there is no user nobody\n"]);
  });

  it.each([[[]], [["frobnicate"]], [["reset-password"]], [["reset-password", "a", "b"]]])(
    "npm run admin explains its use: %j",
    async (parameters) => {
      const { code, output, errors } = await run(...parameters);
      expect([code, output]).toEqual([1, ""]);
      expect(errors).toContain("usage: npm run admin -- COMMAND");
      expect(errors).toContain("reset-password NAME");
    },
  );
});
