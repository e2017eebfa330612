import type { Ctx } from "../../context.ts";
import type { Entry } from "../../domain/page.ts";
import type { Stamp } from "../../domain/stamp.ts";
import { listedAfter } from "../../domain/tweets/news.ts";
import { findUser } from "../../domain/users/store.ts";
import type { AppStream } from "./app-stream.ts";
import { Known } from "./known.ts";

/** A list to which somebody listens. */
interface Followed {
  tag: string | undefined;
  known: Known;
  streams: Set<AppStream>;
  /** Those that were not told yet what came in since they were told last. */
  behind: Set<AppStream>;
}

/** Who is to be told what. */
interface Errand {
  followed: Followed;
  stream: AppStream;
  entries: Entry[];
}

/** Of a list in a round; what is older is left out. */
const mostListed = 200;
/** So many streams are told at the same time. */
const lanes = 32;

/** What comes in on everybody's list and under hashtags: asked once a round, whoever many listen. */
export class Lists {
  readonly #ctx: Ctx;
  readonly #followed = new Map<string, Followed>();

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  add(stream: AppStream): void {
    if (stream.list === undefined) return;
    const { tag } = stream.list;
    const followed = this.#followed.get(nameOf(tag)) ?? {
      tag,
      known: new Known(this.#ctx.now() * 1000),
      streams: new Set(),
      behind: new Set(),
    };
    this.#followed.set(nameOf(tag), followed);
    followed.streams.add(stream);
    followed.behind.add(stream);
  }

  remove(stream: AppStream): void {
    if (stream.list === undefined) return;
    const name = nameOf(stream.list.tag);
    const followed = this.#followed.get(name);
    followed?.streams.delete(stream);
    followed?.behind.delete(stream);
    if (followed?.streams.size === 0) this.#followed.delete(name);
  }

  /** Throws if nothing could be asked; who could not be told is told in the next round. */
  async round(fail: (error: unknown) => void): Promise<void> {
    const followed = [...this.#followed.values()];
    if (followed.length === 0) return;
    const asked = followed.map((one) => ({ tag: one.tag, after: bottomOf(one) }));
    const found = await listedAfter(this.#ctx, asked, mostListed);
    const errands = followed.flatMap((one, index) => errandsFor(one, found[index] ?? []));
    const next = errands.values();
    const lane = async () => {
      for (const errand of next)
        await this.#run(errand).catch((error: unknown) => {
          errand.followed.behind.add(errand.stream);
          fail(error);
        });
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async #run({ stream, entries }: Errand): Promise<void> {
    const viewer = await findUser(this.#ctx, stream.user);
    if (viewer !== undefined && !viewer.suspended) await stream.tellListed(viewer, entries);
  }
}

function errandsFor(followed: Followed, entries: Entry[]): Errand[] {
  const { known, streams, behind } = followed;
  const news = entries.filter(({ id, stamp }) => known.isNews(id, stamp));
  for (const { id, stamp } of entries) known.add(id, stamp);
  known.begin();
  const errands = [...streams].map((stream) => {
    const missed = () => entries.filter(({ stamp }) => stamp > stream.place.tweets);
    return { followed, stream, entries: behind.has(stream) ? missed() : news };
  });
  behind.clear();
  return errands.filter((errand) => errand.entries.length > 0);
}

/** The stamp above which all is to be read. */
function bottomOf({ known, behind }: Followed): Stamp {
  return Math.min(known.since, ...[...behind].map(({ place }) => place.tweets));
}

function nameOf(tag: string | undefined): string {
  return tag === undefined ? "" : `#${tag}`;
}
