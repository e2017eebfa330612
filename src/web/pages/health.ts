import { Router } from "express";
import type { Ctx } from "../../context.ts";

/** For platforms and load balancers: no session, no page. Not ready once `ending` is aborted. */
export function healthPages(ctx: Ctx, ending: AbortSignal | undefined): Router {
  const router = Router();
  router.get("/healthz", (_req, res) => {
    res.set("Cache-Control", "no-store").type("text").send("ok\n");
  });
  router.get("/readyz", async (_req, res) => {
    if (ending?.aborted === true) {
      res.set("Cache-Control", "no-store").status(503).type("text").send("ending\n");
      return;
    }
    const ready = await ctx.redis.ping().then(
      () => true,
      () => false,
    );
    res.set("Cache-Control", "no-store").status(ready ? 200 : 503);
    res.type("text").send(ready ? "ok\n" : "Redis does not answer\n");
  });
  return router;
}
