import type { Response } from "supertest";
import type { PushWork } from "../../src/context.ts";
import { addNotification } from "../../src/domain/notifications/store.ts";
import type { Alert, Policy } from "../../src/domain/push/subscriptions.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import type { PushDevice } from "../support/actors/push-device.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { type PushService, startPushService } from "../support/world/push-service.ts";
import { createWorld, type World } from "../support/world/world.ts";

export const allAlerts: Alert[] = ["mention", "follow", "favourite", "reblog"];

/** A site with a push service beside it. */
export interface PushScene {
  world: World;
  service: PushService;
  userOf(name: string): Promise<User>;
  /** Turns pushes on in a browser, as the site's script does. */
  turnOn(browser: Visitor, alerts?: Alert[], policy?: Policy): Promise<PushDevice>;
  /** Ids of the sessions and tokens with a subscription. */
  holders(name: string): Promise<string[]>;
  /** A follow of which the user is notified, without a job that pushes it. */
  actOn(to: string, actor: string): Promise<PushWork>;
  /** Titles of the pushes that came to a device. */
  titlesAt(device: PushDevice): string[];
  close(): Promise<void>;
}

export async function openPushScene(): Promise<PushScene> {
  const service = await startPushService();
  const world = await createWorld({
    pushToLoopback: true,
    baseUrl: "https://suzume.example",
    contact: "mailto:host@example.org",
  });
  const userOf = (name: string) => getUserByName(world.ctx, name);
  return {
    world,
    service,
    userOf,
    async turnOn(browser, alerts = allAlerts, policy = "all") {
      const device = service.device();
      const { endpoint, keys: own } = device;
      await browser.agent
        .post("/settings/push")
        .type("form")
        .send({ endpoint, ...own, alerts, policy })
        .expect(303);
      return device;
    },
    holders: async (name) => await world.ctx.redis.hkeys(keys.push((await userOf(name)).id)),
    async actOn(to, actorName) {
      const [{ id }, { id: actor }] = [await userOf(to), await userOf(actorName)];
      const { ctx } = world;
      const quiet = { ...ctx, jobs: { ...ctx.jobs, push: async () => {} } };
      await addNotification(quiet, id, { kind: "follow", actor, stamp: ctx.now() * 1000 });
      return { to: id, activity: `follow::${actor}` };
    },
    titlesAt: (device) => service.texts(device).map(({ title }) => String(title)),
    async close() {
      await world.close();
      await service.close();
    },
  };
}

/** An app on a phone of a user. */
export async function openApp(
  { world, service }: PushScene,
  name: string,
): Promise<{ app: ApiClient; device: PushDevice; subscribe(about?: object): Promise<Response> }> {
  const app = await ApiClient.of(world, name, "read push");
  const device = service.device();
  const data = { alerts: Object.fromEntries(allAlerts.map((one) => [one, true])) };
  return {
    app,
    device,
    subscribe: async ({ standard = true, ...about }: { standard?: boolean } = {}) =>
      await app.post("/api/v1/push/subscription", {
        subscription: { endpoint: device.endpoint, keys: device.keys, standard },
        data,
        ...about,
      }),
  };
}
