import express, { type Express, type Request } from "express";
import { expect } from "vitest";
import { sendSlowly, serve, type Site } from "./serve.ts";

type SlowForm = Omit<Parameters<typeof sendSlowly>[1], "cookie"> & { cookie?: string };

export interface SlowSite extends Site {
  /** The answer to a form whose head arrives before, and whose body after, `between`. */
  during(form: SlowForm, between: () => Promise<unknown>): Promise<string>;
}

/** A site whose tests do something while a body is on its way. */
export async function serveSlowly(app: Express): Promise<SlowSite> {
  /** The request whose head came last. */
  let begun: Request | undefined;
  const watched = express();
  watched.use((req, _res, next) => {
    begun = req;
    next();
  });
  const site = await serve(watched.use(app));
  const isReading = () =>
    begun !== undefined && begun.listenerCount("data") + begun.listenerCount("readable") > 0;
  return {
    ...site,
    async during(form, between) {
      begun = undefined;
      const sent = await sendSlowly(site.port, { cookie: "", ...form });
      await expect.poll(isReading).toBe(true);
      await between();
      return await sent.finish();
    },
  };
}
