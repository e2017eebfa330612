import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boot, type Booted } from "../src/boot.ts";
import { parseConfig } from "../src/config.ts";
import { getResetLink } from "../src/domain/accounts/reset-links.ts";
import { countApplicants } from "../src/domain/community/join.ts";
import { findInvitation } from "../src/domain/community/invitations.ts";
import { auditPage } from "../src/domain/moderation/audit.ts";
import { writeSite } from "../src/domain/site/settings.ts";
import { findUser } from "../src/domain/users/store.ts";
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
    runAdmin(parameters, { REDIS_URL: "", DATA_DIR: dataDir, PORT: "4711", LOG_LEVEL: "info" });

  it("npm run admin prints a reset link while the site runs on its private Redis", async () => {
    const { code, output, errors } = await run("reset-password", "owl");
    expect([code, errors]).toEqual([0, ""]);
    const [, token = ""] = /^http:\/\/localhost:4711\/reset\/(\S+)\n$/.exec(output) ?? [];
    expect((await getResetLink(booted.ctx, token)).user.name).toBe("Owl");
    // The private Redis goes on.
    expect(await booted.ctx.redis.ping()).toBe("PONG");
  });

  it("npm run admin makes an admin, who is one at once, and lets an applicant in", async () => {
    const { ctx } = booted;
    const bea = await createUser(ctx, {
      name: "bea",
      fullname: "Bea",
      pass: "none",
      reason: "Hi.",
    });
    const first = await run("make-admin", "@Bea");
    expect(first).toEqual({ code: 0, output: "@bea is an admin now\n", errors: "" });
    expect(await findUser(ctx, bea)).toMatchObject({ role: "admin", suspended: false });
    expect(await countApplicants(ctx)).toBe(0);
    const again = await run("make-admin", "bea");
    expect(again).toEqual({ code: 0, output: "@bea is an admin already\n", errors: "" });
    const { items } = await auditPage(ctx, { before: undefined, limit: 2 });
    expect(items.map(({ by, verb }) => [by, verb])).toEqual([
      [undefined, "admin"],
      [undefined, "accept"],
    ]);
  });

  it("npm run admin prints one link that lets one person in, unless sign-up is closed", async () => {
    const { ctx } = booted;
    const { code, output, errors } = await run("invite");
    expect([code, errors]).toEqual([0, ""]);
    const [, token = ""] =
      /^http:\/\/localhost:4711\/signup\?invitation=(\S+)\n$/.exec(output) ?? [];
    expect(await findInvitation(ctx, token)).toMatchObject({ by: undefined, uses: 1, used: 0 });
    await writeSite(ctx, { signUp: "closed" });
    const refused = await run("invite");
    expect([refused.code, refused.output]).toEqual([1, ""]);
    expect(refused.errors).toMatch(/^suzume: sign-up is closed/);
    await writeSite(ctx, { signUp: "open" });
  });

  it("npm run admin suspends an account, but no admin", async () => {
    const { ctx } = booted;
    const rat = await createUser(ctx, { name: "rat", fullname: "Rat", pass: "none" });
    const first = await run("suspend", "rat");
    expect(first).toEqual({ code: 0, output: "@rat is suspended\n", errors: "" });
    expect((await findUser(ctx, rat))?.suspended).toBe(true);
    const again = await run("suspend", "rat");
    expect(again).toEqual({ code: 0, output: "@rat was suspended before\n", errors: "" });
    const admin = await run("suspend", "bea");
    expect([admin.code, admin.output]).toEqual([1, ""]);
    expect(admin.errors).toMatch(/^suzume: @bea is a moderator or admin/);
    const made = await run("make-admin", "rat");
    expect([made.code, made.output]).toEqual([1, ""]);
    expect(made.errors).toMatch(/^suzume: rat is suspended/);
  });

  it("npm run admin prints a link that also removes passkeys and authenticator app, if asked for it", async () => {
    for (const [command, removesFactors] of [
      ["reset-password", false],
      ["reset-factors", true],
    ] as const) {
      const { output } = await run(command, "owl");
      const token = output.trim().replace(/.*\/reset\//, "");
      expect(await getResetLink(booted.ctx, token)).toMatchObject({ removesFactors });
      const { items } = await auditPage(booted.ctx, { before: undefined, limit: 1 });
      const verb = removesFactors ? "resetFactors" : "reset";
      expect(items).toMatchObject([{ by: undefined, verb }]);
    }
  });

  it("npm run admin names a missing user", async () => {
    const { code, output, errors } = await run("reset-password", "nobody");
    expect([code, output, errors]).toEqual([1, "", "suzume: there is no user nobody\n"]);
  });

  it("npm run admin explains its use", async () => {
    const { code, output, errors } = await run("reset-password");
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toContain("usage: npm run admin -- COMMAND");
    expect(errors).toContain("reset-password NAME");
  });
});
