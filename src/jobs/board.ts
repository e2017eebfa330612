import type { Express, RequestHandler } from "express";
import type { Queues } from "./queue.ts";

/**
 * Pages about the queues: running deliveries, dead letters, and a button to replay them. Their packages are
 * loaded with the first page.
 */
export function queueBoard(queues: Queues, basePath: string): RequestHandler {
  let board: Promise<RequestHandler> | undefined;
  return async (req, res, next) => {
    board ??= loadBoard(queues, basePath);
    (await board)(req, res, next);
  };
}

async function loadBoard(queues: Queues, basePath: string): Promise<RequestHandler> {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import("@bull-board/api"),
    import("@bull-board/api/bullMQAdapter"),
    import("@bull-board/express"),
  ]);
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
