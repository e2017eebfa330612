import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Queue } from "bullmq";
import { vi } from "vitest";
import { queuePrefix } from "../../../src/jobs/queue.ts";
import { type ArrivedPush, PushDevice } from "../actors/push-device.ts";
import type { World } from "./world.ts";

/** A push service on a port of this machine. */
export interface PushService {
  url: string;
  arrived: ArrivedPush[];
  /** Its answer to the next pushes; 0 cuts the connection after it has read a push. */
  answer(status: number): void;
  /** A device with an address of its own here. */
  device(): PushDevice;
  /** The texts for a device so far. */
  texts(device: PushDevice): Record<string, unknown>[];
  /** Resolves to the texts for a device once there are `count`. */
  textsOf(device: PushDevice, count: number): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function startPushService(): Promise<PushService> {
  const arrived: ArrivedPush[] = [];
  let status = 201;
  let devices = 0;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      arrived.push({ path: req.url ?? "", headers: req.headers, body: Buffer.concat(chunks) });
      if (status === 0) res.destroy();
      else res.writeHead(status, { Location: "http://127.0.0.1/elsewhere" }).end("not read");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const texts = (device: PushDevice) =>
    arrived
      .filter(({ path }) => url + path === device.endpoint)
      .map((push) => JSON.parse(device.decrypt(push)) as Record<string, unknown>);
  return {
    url,
    arrived,
    answer: (next) => void (status = next),
    device: () => new PushDevice(`${url}/device/${(devices += 1)}`),
    texts,
    textsOf: async (device, count) =>
      await vi.waitFor(
        () => {
          const found = texts(device);
          if (found.length < count) throw new Error(`${found.length} of ${count} pushes`);
          return found;
        },
        { timeout: 15_000, interval: 10 },
      ),
    close: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves once all pushes so far have been sent, or wait for another try. */
export async function untilPushed(world: World): Promise<void> {
  await world.delivered();
  const queue = new Queue("pushes", { connection: world.ctx.redis, prefix: queuePrefix });
  await vi.waitFor(
    async () => {
      if ((await queue.getJobCountByTypes("waiting", "active")) > 0) throw new Error("pushes wait");
    },
    { timeout: 15_000, interval: 10 },
  );
  await queue.close();
}
