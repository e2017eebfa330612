import { Queue } from "bullmq";
import type { SMTPServerOptions } from "smtp-server";
import type { Config } from "../../src/config.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { queuePrefix } from "../../src/jobs/queue.ts";
import { keys } from "../../src/redis/keys.ts";
import { type MailServer, startMailServer } from "../support/world/mail-server.ts";
import { createWorld, type World } from "../support/world/world.ts";

export const origin = "https://suzume.example";
export const patience = { timeout: 15_000, interval: 20 };

/** Sites and mail servers of one test, which end together. */
export class MailScene {
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  async server(
    options?: SMTPServerOptions,
    at?: { host?: string; port?: number },
  ): Promise<MailServer> {
    const server = await startMailServer(options, at);
    this.#cleanups.push(server.close);
    return server;
  }

  async world(settings: Partial<Config>, options?: { workers: boolean }): Promise<World> {
    const mailFrom = "Suzume <site@example.org>";
    const world = await createWorld({ mailFrom, baseUrl: origin, ...settings }, options);
    this.#cleanups.push(() => world.close());
    return world;
  }

  async end(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).toReversed()) await cleanup();
  }
}

/** A user with an address that was confirmed; empty: without one. */
export async function personWith(world: World, address: string, name = "bird"): Promise<User> {
  await world.newcomer(name);
  const user = await getUserByName(world.ctx, name);
  await world.ctx.redis.hset(keys.user(user.id), { mail: address, mail_language: "en" });
  return user;
}

/** The jobs of mails in a state. */
export async function mailJobs(
  world: World,
  state: "waiting" | "failed" | "delayed",
): Promise<unknown[]> {
  const queue = new Queue("mails", { connection: world.ctx.redis, prefix: queuePrefix });
  const jobs = await queue.getJobs([state]);
  await queue.close();
  return jobs.map(({ data }): unknown => data);
}
