import type { RequestListener } from "node:http";
import type { Express } from "express";
import { createQueues } from "../../../src/jobs/queue.ts";
import { waitUntilReady } from "../../../src/redis/client.ts";
import { createApp } from "../../../src/web/app.ts";
import { closeChecked } from "./doctor.ts";
import { sessionCookie } from "../inspect/cookies.ts";
import { Visitor } from "../actors/visitor.ts";
import { connectToTestRedis, createWorld, openMemory, appOptions, type World } from "./world.ts";

/** A user whose browser reaches either process. */
export interface OnBoth {
  here: Visitor;
  there: Visitor;
}

/** Two web processes on one database, with separate memories. */
export interface TwoProcesses {
  world: World;
  there: Express;
  newcomer(name: string): Promise<OnBoth & { cookie: string }>;
  onBoth(cookie: string): OnBoth;
  /** "well": throws if the doctor finds anything. */
  close(how?: "well"): Promise<void>;
}

export async function createTwoProcesses(): Promise<TwoProcesses> {
  const world = await createWorld();
  const elsewhere = connectToTestRedis("web", world.ctx.config);
  await waitUntilReady(elsewhere, 5000);
  const queues = createQueues(elsewhere, () => {});
  const memory = await openMemory(elsewhere, world.ctx.config);
  const here = world.app;
  const apart = { ...world.ctx, redis: elsewhere, memory, jobs: queues };
  const there = createApp(apart, appOptions);
  // Each process shows what the other has written, however slow the machine is.
  const settled =
    (app: Express): RequestListener =>
    (req, res) =>
      void Promise.all([world.ctx.memory.settled(), memory.settled()]).then(() => app(req, res));
  const onBoth = (cookie: string) => {
    const visitors = { here: new Visitor(settled(here)), there: new Visitor(settled(there)) };
    for (const visitor of Object.values(visitors)) visitor.agent.set("Cookie", cookie);
    return visitors;
  };
  return {
    world,
    there,
    onBoth,
    async newcomer(name) {
      const cookie = sessionCookie(await new Visitor(here).signUp(name));
      return { cookie, ...onBoth(cookie) };
    },
    async close(how) {
      await queues.close();
      memory.close();
      elsewhere.disconnect();
      await (how === "well" ? closeChecked(world) : world.close());
    },
  };
}
