import { isAllowed, isAmong, leak, Marks } from "./leaks.ts";
import { someOf } from "../support/models/property-runs.ts";
import { Counts } from "./counts.ts";
import type { Marked } from "./marked-posts.ts";
import type { MarkedSite } from "./marked-site.ts";
import { questionsOf, type Question, readingRoutes, writingRoutes } from "./questions.ts";
import { unzipped } from "./unzipped.ts";
import type { Heard, Line, Reader } from "./readers.ts";
import { areApart, mayRead } from "./rule.ts";

/** Verbs that take something back, which a user may have done before the tweet was hidden. */
const takesBack = /\/un(like|favourite|retweet|reblog|bookmark)$/;

/** Reads a site as its readers do, and compares what they get with the rule. */
export class Sweep {
  readonly #site: MarkedSite;
  readonly #line: Line;
  readonly #marks: Marks;
  readonly #counts: Counts;
  /** Status of a route for a post that never was, by reader and path. */
  readonly #statuses = new Map<string, number>();
  /** All that was found; see report(). */
  readonly leaks: string[] = [];
  /** Archives that were read. */
  archives = 0;

  constructor(site: MarkedSite, line: Line) {
    this.#site = site;
    this.#line = line;
    this.#marks = new Marks(site);
    this.#counts = new Counts(site);
  }

  /** Asks every route that reads as each reader; `posts` are those that paths and queries name. */
  async readAll(readers: readonly Reader[], posts: readonly Marked[]): Promise<void> {
    await this.#settle();
    const routes = readingRoutes(this.#site.world.app);
    const all = routes.flatMap((route) => questionsOf(route, this.#site, posts));
    const exports = all.filter(({ path }) => path.startsWith("/settings/data/export"));
    const questions = all.filter((question) => !exports.includes(question));
    const always = questions.filter(({ isOneOfMany }) => isOneOfMany !== true);
    const many = questions.filter(({ isOneOfMany }) => isOneOfMany === true);
    for (const reader of readers) {
      // Most that is asked about a post that the reader may read tells nothing of others.
      const hidden = many.filter(({ names }) => names && !mayRead(reader.who, names));
      const others = many.filter(({ names }) => !names || mayRead(reader.who, names));
      const questionsNow = [...always, ...someOf(hidden), ...someOf(someOf(others))];
      await together(questionsNow, async (question) => this.ask(reader, question));
      // The site makes one export of a user at a time.
      for (const question of exports) await this.ask(reader, question);
    }
  }

  /** Tries every verb of pages and API on posts that are hidden from the reader. */
  async tryAll(readers: readonly Reader[], posts: readonly Marked[]): Promise<void> {
    await this.#settle();
    const routes = writingRoutes(this.#site.world.app);
    for (const reader of readers) {
      const hidden = posts.filter(
        (post) => !mayRead(reader.who, post) && post.author !== reader.who,
      );
      const all = routes.flatMap((route) => questionsOf(route, this.#site, hidden));
      const questions = someOf(all).filter(({ names }) => !names || !mayRead(reader.who, names));
      await together(questions, async (question) => {
        const { status } = await this.ask(reader, { ...question, body: {} });
        const path = question.path.split("?")[0] ?? "";
        if (status < 400 && !takesBack.test(path) && reader.who !== undefined)
          this.leaks.push(`${reader.name} acts on a hidden tweet: ${describe(question)} ${status}`);
      });
    }
  }

  /** Reads these paths as each reader. A verb that hid something has told this process of it. */
  async readPaths(readers: readonly Reader[], paths: readonly string[]): Promise<void> {
    const questions = paths.map((path) => ({
      method: "GET",
      path,
      sent: decodeURIComponent(path),
    }));
    for (const reader of readers)
      await together(questions, async (question) => this.ask(reader, question));
  }

  async ask(reader: Reader, question: Question): Promise<Heard> {
    const first = await this.#line.ask(reader, question);
    // A machine that is busy with other tests may be too late once.
    const heard = first.status === 503 ? await this.#line.ask(reader, question) : first;
    const { names, path } = question;
    const where = describe(question);
    if (heard.status >= 500) this.leaks.push(`${where} answers ${heard.status}`);
    const isArchive = /zip/.test(heard.type);
    if (isArchive) this.archives += 1;
    const text = isArchive ? await unzipped(heard.body) : heard.text;
    for (const betrayal of this.#marks.in(text, question.sent))
      if (!isAllowed(reader, path, betrayal)) this.leaks.push(leak(reader, where, betrayal));
    if (/^application\/json(;|$)/.test(heard.type))
      for (const told of this.#counts.wrongIn(heard.body.toString(), reader))
        this.leaks.push(`${reader.name} gets ${told} from ${where}`);
    if (names !== undefined && heard.status === 200)
      for (const told of this.#counts.retweetersIn(heard.body.toString(), path, names, reader))
        this.leaks.push(`${reader.name} gets ${told}, from ${where}`);
    if (names !== undefined && !mayRead(reader.who, names))
      await this.#compare(reader, question, heard, names);
    return heard;
  }

  /** Compares the numbers of unread notifications with the notifications that are there; none may have been read. */
  async compareNews(reader: Reader): Promise<void> {
    const asked = async (path: string) => {
      const { body } = await this.ask(reader, { method: "GET", path, sent: path });
      return JSON.parse(body.toString()) as unknown;
    };
    for (const version of ["v1", "v2"]) {
      const path = `/api/${version}/notifications`;
      const { count } = (await asked(`${path}/unread_count`)) as { count: number };
      const all = (await asked(`${path}?limit=80`)) as
        unknown[] | { notification_groups: unknown[] };
      const rows = "notification_groups" in all ? all.notification_groups : all;
      if (rows.length < 80 && count > rows.length)
        this.leaks.push(
          `${reader.name} gets a count of ${count} news at ${path}, not ${rows.length}`,
        );
    }
  }

  /** The first leak of each kind, and how many there are. */
  report(): string[] {
    const kinds = new Map<string, string[]>();
    for (const one of this.leaks) {
      const kind = one.replace(/ gets \S+/, "").replaceAll(/\d+/g, "");
      kinds.set(kind, [...(kinds.get(kind) ?? []), one]);
    }
    return [...kinds.values()].map((all) => `${all[0]} (${all.length})`);
  }

  /** Words and pictures that a reader of an answer got, for another channel than requests. */
  check(
    reader: Reader,
    where: string,
    text: string,
    isFine: (post: Marked, mark: string) => boolean,
  ): void {
    for (const betrayal of this.#marks.in(text))
      if (!isFine(betrayal.post, betrayal.mark)) this.leaks.push(leak(reader, where, betrayal));
  }

  /** A hidden tweet answers as one that never was. That of a blocked author may say that there is a block. */
  async #compare(
    reader: Reader,
    { missing, ...question }: Question,
    { status, type }: Heard,
    post: Marked,
  ): Promise<void> {
    const handles = reader.who?.moderates === true && post.isReported;
    // A picture of an open tweet is open to all who know its address.
    if (status === 200 && type.startsWith("image/") && !handles && !mayRead(undefined, post))
      this.leaks.push(leak(reader, describe(question), { mark: "the picture", post }));
    if (missing === undefined || takesBack.test(question.path)) return;
    if (handles || post.author === reader.who || areApart(reader.who, post.author)) return;
    const { repeats } = post;
    const isBesideBlock = repeats !== undefined && areApart(reader.who, repeats.author);
    if (isBesideBlock && mayRead(reader.who, { ...post, repeats: undefined })) return;
    if (question.path.startsWith("/messages/") && isAmong(reader, post)) return;
    const name = `${reader.name} ${reader.cookie} ${question.method} ${missing}`;
    const expected =
      this.#statuses.get(name) ??
      (await this.#line.ask(reader, { ...question, path: missing })).status;
    this.#statuses.set(name, expected);
    if (status !== expected)
      this.leaks.push(
        `${leak(reader, describe(question), { mark: String(status), post })}, not ${expected}`,
      );
  }

  async #settle(): Promise<void> {
    await this.#site.world.ctx.memory.settled();
  }
}

function describe({ method, path }: Question): string {
  return `${method} ${path}`;
}

/** Eight at a time, as browsers with some pages do. */
async function together<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}
