import { expect } from "vitest";
import type { Config } from "../../../src/config.ts";
import { type Memory, startMemory } from "../../../src/redis/memory.ts";
import { createApp } from "../../../src/web/app.ts";
import { Visitor } from "../actors/visitor.ts";
import { expectSame } from "../inspect/expect-same.ts";
import { appOptions, createWorld, type World } from "./world.ts";

/** A test asks from another port each time. */
const baseUrl = "http://site.test";
/** Headers that a kept page has from the time when it was made first. */
const headers = ["content-type", "content-encoding", "cache-control", "vary", "link"];

interface Reader {
  kept: Visitor;
  /** The same browser on the site without a memory. */
  fresh: Visitor;
}

/** A site, and beside it one on the same Redis that keeps nothing. */
export class BesideFresh {
  readonly world: World;
  readonly readers: Reader[] = [];
  readonly #memory: Memory;
  readonly #app: ReturnType<typeof createApp>;

  private constructor(world: World) {
    this.world = world;
    this.#memory = startMemory(world.ctx.redis, { bytes: 0 });
    const config = { ...world.ctx.config, memoryBytes: 0 };
    this.#app = createApp({ ...world.ctx, memory: this.#memory, config }, appOptions);
  }

  /** Readers of these names, and one who is signed out. */
  static async begin(names: string[], settings: Partial<Config> = {}): Promise<BesideFresh> {
    const sites = new BesideFresh(await createWorld({ ...settings, baseUrl }));
    for (const name of names) sites.#add(await sites.world.newcomer(name));
    sites.#add(sites.world.visitor());
    return sites;
  }

  #add(kept: Visitor): void {
    const fresh = new Visitor(this.#app);
    fresh.agent.jar = kept.agent.jar;
    this.readers.push({ kept, fresh });
  }

  /** Every reader asks for all pages, at once. */
  async ask(paths: string[]) {
    const asked = this.readers.flatMap((reader) => paths.map((path) => ({ ...reader, path })));
    return await Promise.all(
      asked.map(async (one) => ({ ...one, answer: await one.kept.get(one.path) })),
    );
  }

  /** The same pages, and then one after the other as they are without any memory. */
  async compare(paths: string[], about = ""): Promise<void> {
    await this.world.atOneMoment(async () => {
      for (const { kept, fresh, path, answer } of await this.ask(paths)) {
        const made = await fresh.get(path);
        const label = `${path} of ${kept.name} ${about}`;
        const headOf = (one = made) => [label, one.status, ...headers.map((name) => one.get(name))];
        expect(headOf(answer)).toEqual(headOf());
        expectSame(essence(answer.text), essence(made.text), label);
      }
    });
  }

  async close(): Promise<void> {
    this.#memory.close();
    await this.world.close();
  }
}

/** Without what is drawn anew for each page, and the column that is renewed by time. */
function essence(page: string): string {
  return page
    .replace(/(?<=name="nonce" value=")[0-9a-f-]{36}"/g, "")
    .replace(/<aside class="side.*<\/aside>/s, "")
    .replace(/[\w-]{36}(?=<\/code>)/g, "");
}
