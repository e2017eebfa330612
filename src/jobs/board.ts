import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { ExpressAdapter } from "@bull-board/express";
import type { Express, RequestHandler } from "express";
import type { Queues } from "./queue.ts";

/** Pages about the queues: running deliveries, dead letters, and a button to replay them. */
export function queueBoard(queues: Queues, basePath: string): RequestHandler {
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(basePath);
  createBullBoard({
    queues: queues.all().map((queue) => new BullMQAdapter(queue)),
    serverAdapter,
    options: { uiConfig: { boardTitle: "Suzume", hideRedisDetails: false } },
  });
  const board = serverAdapter.getRouter() as Express;
  board.disable("x-powered-by");
  return board;
}
