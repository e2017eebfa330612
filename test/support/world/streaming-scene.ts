import { AppListener, tokenFor } from "../actors/app-listener.ts";
import { serve, type Site } from "./serve.ts";
import { createTwoProcesses, type OnBoth, type TwoProcesses } from "./two-processes.ts";

/** A reader whose apps listen to one process, an author they follow, and a stranger. */
export interface StreamingScene {
  two: TwoProcesses;
  site: Site;
  reader: OnBoth;
  author: OnBoth;
  stranger: OnBoth;
  /** Default: the reader's token for everything that can be read. */
  listens(path: string, how?: { as?: string }): Promise<AppListener>;
  /** Id of the newest tweet of a user, as on pages. */
  newestBy(name: string): Promise<string>;
  /** Closes all streams. */
  leave(): void;
  close(): Promise<void>;
}

export async function createStreamingScene(): Promise<StreamingScene> {
  const two = await createTwoProcesses();
  const site = await serve(two.world.app);
  const reader = await two.newcomer("reader");
  const author = await two.newcomer("author");
  const stranger = await two.newcomer("stranger");
  await reader.here.follow("author");
  const open: AppListener[] = [];
  return {
    two,
    site,
    reader,
    author,
    stranger,
    async listens(path, { as } = {}) {
      const token = as ?? (await tokenFor(two.world, "reader"));
      const one = await AppListener.open(site.port, path, token);
      if (one.stream.status !== 200) throw new Error(`${path} answered ${one.stream.status}`);
      open.push(one);
      return one;
    },
    async newestBy(name) {
      const [tweet] = await reader.here.see(`/@${name}`);
      return tweet?.id ?? "";
    },
    leave() {
      for (const { stream } of open.splice(0)) stream.leave();
    },
    async close() {
      await site.close();
      await two.close();
    },
  };
}
