import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import express, { type Express, type Request } from "express";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recorded, Recording } from "../../../src/domain/scope.ts";
import type { Reader } from "../../../src/web/languages/translator.ts";
import type { Content } from "../../../src/web/server/page-cache.ts";
import { renderFeed } from "../../../src/web/server/render.ts";
import { readerAs } from "../../support/actors/english-reader.ts";
import { serve } from "../../support/world/serve.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

type Site = Awaited<ReturnType<typeof serve>>;

/** What a page shows. */
interface Shown {
  title: string;
  older?: number;
  items: string[];
  /** Anything else that its template gets. */
  facts?: unknown;
}

type Done = (error: Error | null, html: string) => void;

/** What a template gets. */
interface Values {
  title: string;
  older?: string;
  timeline?: string;
  facts?: unknown;
}

const print = ({ title, older, timeline }: Values) =>
  `<h1>${title}</h1>` +
  (older === undefined ? "" : `<a href="/?before=${older}">${older}</a>`) +
  (timeline === undefined ? "" : `<ol>${timeline}</ol>`) +
  "鳥";

/** Values of every kind, each of which tells of this size. */
const valuesOf = (size: number) => [
  new Set(["owl", `${size}`]),
  new Map([["owl", { size }]]),
  new Date(size),
  Buffer.from([size]),
  { deep: [{ size }] },
  { size, more: undefined },
  [undefined, size],
  size === 1 ? Infinity : -Infinity,
];

describe("a page with a timeline", () => {
  let site: Site | undefined;
  let shown: Shown;
  let content: Content | undefined;
  /** Times that the template ran. */
  let count = 0;
  let isCounted = false;
  let requests: WeakRef<Request>[];
  let make: typeof makeShown;
  beforeEach(() => {
    count = 0;
    isCounted = false;
    requests = [];
    make = makeShown;
  });
  afterEach(() => site?.close());

  const makeShown = async ({ late = String }: Reader) => {
    const { title, older, items, facts } = shown;
    const timeline = items.map((item) => Buffer.from(`<li>${item}`));
    const cursor = older === undefined ? undefined : late(older, "older");
    return { title, older: cursor, timeline, facts };
  };

  const makeNow = (reader: Reader) => make(reader);

  /** Answers with a page that this template prints. */
  async function open(template: (values: Values) => string): Promise<void> {
    const app: Express = express();
    app.render = (_view: string, values: unknown, done?: unknown) => {
      count += 1;
      (done as Done)(null, template(values as Values));
    };
    app.get("/", async (req, res) => {
      requests.push(new WeakRef(req));
      const addFrame = async () => void req;
      Object.assign(res.locals, { recording: new Recording(Date.now()), isCounted, addFrame });
      await renderFeed(res, "any", readerAs(undefined), makeNow);
      ({ content } = res.locals);
    });
    site = await serve(app);
  }
  const asked = async () => await (await fetch(`http://127.0.0.1:${site?.port}/`)).text();
  const remade = async () =>
    String(await recorded(new Recording(Date.now()), async () => await content?.remake()));

  it("a page shows its items, and values that change with them wherever they are printed", async () => {
    await open(print);
    shown = { title: "雀", older: 7, items: ["one", "two"] };
    expect(await asked()).toBe('<h1>雀</h1><a href="/?before=7">7</a><ol><li>one<li>two</ol>鳥');
  });

  it("the template of a page runs again only if more than the items and such values has changed", async () => {
    await open(print);
    shown = { title: "Birds", older: 7, items: ["one"] };
    await asked();
    shown = { title: "Birds", older: 12, items: ["three", "two", "one"] };
    expect(await remade()).toBe(
      '<h1>Birds</h1><a href="/?before=12">12</a><ol><li>three<li>two<li>one</ol>鳥',
    );
    expect(count).toBe(1);
    for (const [next, html] of [
      [{ title: "Owls", older: 12, items: ["one"] }, '<h1>Owls</h1><a href="/?before=12">12</a>'],
      [{ title: "Owls", items: ["one"] }, "<h1>Owls</h1><ol><li>one</ol>鳥"],
      [{ title: "Owls", items: [] }, "<h1>Owls</h1>鳥"],
      [{ title: "Owls", older: 3, items: [] }, '<h1>Owls</h1><a href="/?before=3">3</a>鳥'],
    ] as const) {
      const before = count;
      shown = { ...next, items: [...next.items] };
      expect(await remade()).toContain(html);
      expect(count).toBe(before + 1);
      expect(await remade()).toContain(html);
      expect(count).toBe(before + 1);
    }
  });

  it("the template of a page runs again if a value of any kind has changed", async () => {
    await open(({ facts: one }) => inspect(one, { depth: 9 }));
    for (const [nth, one] of valuesOf(1).entries()) {
      shown = { title: "Birds", items: [], facts: one };
      await asked();
      shown = { ...shown, facts: valuesOf(2)[nth] };
      expect(await remade()).toBe(inspect(shown.facts, { depth: 9 }));
      shown = { ...shown, facts: valuesOf(1)[nth] };
      expect(await remade()).toBe(inspect(shown.facts, { depth: 9 }));
    }
  });

  it("a page that shows a value which is no longer there cannot be made of what is kept", async () => {
    await open(({ title, older }) => `${title} ${older ?? ""}`);
    shown = { title: "Birds", older: 7, items: [] };
    // A handler that hands on what it made before, marks and all.
    let known: Awaited<ReturnType<typeof makeShown>> | undefined;
    make = async (reader) => (known ??= await makeShown(reader));
    expect(await asked()).toBe("Birds 7");
    await expect(remade()).rejects.toThrow("nothing for the place older");
  });

  it("a page that a limit counts keeps no text, as its handler makes each", async () => {
    await open(print);
    shown = { title: "Birds", older: 7, items: ["one"] };
    await asked();
    expect(content?.bytes()).toBeGreaterThan(0);
    isCounted = true;
    await asked();
    expect(content?.bytes()).toBe(0);
  });

  it("what is kept of a page holds neither its request nor its response", async () => {
    await open(print);
    shown = { title: "Birds", items: ["one"] };
    await asked();
    expect(await remade()).toContain("<li>one");
    // A connection holds its last request.
    await site?.close();
    for (let tries = 0; tries < 40 && requests.some((one) => one.deref()); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      collectGarbage();
    }
    expect(requests.map((one) => one.deref())).toEqual([undefined]);
    expect(content?.bytes()).toBeGreaterThan(0);
  });

  it("a page whose template has no place for its items is an error", async () => {
    await open(({ title }) => title);
    shown = { title: "Birds", items: ["one"] };
    expect(await asked()).toContain("any prints no timeline");
  });
});
