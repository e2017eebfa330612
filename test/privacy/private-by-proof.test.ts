import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseDigest } from "../../src/domain/accounts/digest.ts";
import { deliverMail } from "../../src/mail/deliver.ts";
import { keys } from "../../src/redis/keys.ts";
import { runs, someOf } from "../support/models/property-runs.ts";
import { type MailServer, startMailServer } from "../support/world/mail-server.ts";
import { serve, type Site } from "../support/world/serve.ts";
import { acts, perform, warmPaths } from "./acts.ts";
import { Listeners } from "./listeners.ts";
import type { Marked } from "./marked-posts.ts";
import type { MarkedSite } from "./marked-site.ts";
import { Line, type Reader } from "./readers.ts";
import { audienceNow, mayRead } from "./rule.ts";
import { makeScene } from "./scene.ts";
import { Sweep } from "./sweep.ts";

const stranger: Reader = { who: undefined, name: "a stranger", cookie: "", token: "" };
/** `npm run test:thorough` takes longer. */
const patience = 600_000;

/**
 * Nobody learns of a tweet who may not. All routes and endpoints are read that the site declares, so that a new one is
 * read, too. `npm run test:breaks` shows that each check is missed when it is taken out.
 */
describe("private by proof", () => {
  let mails: MailServer;
  let site: MarkedSite;
  let server: Site;
  let line: Line;
  let listeners: Listeners;
  let readers: Reader[];
  /** Browsers whose sessions ended. */
  const former: Reader[] = [];
  beforeAll(async () => {
    mails = await startMailServer();
    site = await makeScene(mails.url);
    server = await serve(site.world.app);
    line = new Line(server.port);
    readers = [stranger, ...site.members.map(({ reader }) => reader)];
  });
  afterAll(async () => {
    await listeners?.close();
    line?.close();
    await server?.close();
    await site?.world.close();
    await mails?.close();
  });

  /** Reads everything; `posts` are those that are named in requests. */
  async function readAll(some: readonly Reader[], posts: readonly Marked[]): Promise<Sweep> {
    const sweep = new Sweep(site, line);
    await sweep.readAll([...some, ...former.slice(-2)], posts);
    return sweep;
  }

  it("every reader finds what the rule lets them read", async () => {
    const sweep = new Sweep(site, line);
    const missed: string[] = [];
    for (const reader of readers)
      for (const post of site.posts.filter(({ repeats }) => repeats === undefined)) {
        const isReadable = mayRead(reader.who, post);
        for (const path of [`/tweets/${post.id}`, `/api/v1/statuses/${post.status}`]) {
          const { status, text } = await sweep.ask(reader, { method: "GET", path, sent: path });
          const isRead = status === 200 && text.includes(`hush${post.marks.at(-1)}t`);
          if (isRead !== isReadable) missed.push(`${reader.name} ${path} ${status}`);
        }
      }
    expect(sweep.report()).toEqual([]);
    expect(missed).toEqual([]);
  });

  it("no number of unread notifications counts what is hidden", async () => {
    const sweep = new Sweep(site, line);
    for (const { reader } of site.members) await sweep.compareNews(reader);
    expect(sweep.report()).toEqual([]);
  });

  it("no mail shows what is not for everyone", async () => {
    const { ctx } = site.world;
    const sweep = new Sweep(site, line);
    for (const { id, name, reader } of site.members) {
      const address = `${name}@example.org`;
      await ctx.redis.hset(keys.user(id), { mail: address, mail_language: "en" });
      await chooseDigest(ctx, id, true);
      const due = Number(await ctx.redis.zscore(keys.digests, id));
      await deliverMail(ctx, { kind: "digest", user: id, due });
      const { text } = await mails.mailTo(address);
      const isFine = (post: Marked) => mayRead(reader.who, post) && audienceNow(post) === "public";
      sweep.check(reader, "a mail", text, isFine);
    }
    expect(mails.arrived.map(({ text }) => text).join()).toContain("hush");
    expect(sweep.report()).toEqual([]);
  });

  it("no route and no endpoint shows a reader what is hidden", { timeout: patience }, async () => {
    const sweep = await readAll(readers, site.posts);
    expect(sweep.report()).toEqual([]);
    // Exports are among them.
    expect(sweep.archives).toBeGreaterThan(0);
  });

  it("nobody acts on a hidden tweet", { timeout: patience }, async () => {
    const sweep = new Sweep(site, line);
    await sweep.tryAll([stranger, site.named("dan").reader, site.named("max").reader], site.posts);
    expect(sweep.report()).toEqual([]);
  });

  it(
    "whatever changes, no page, stream or push shows what is hidden",
    { timeout: patience },
    async () => {
      listeners = await Listeners.open(site, server.port, line);
      await sweepAll();
      await fc.assert(
        fc.asyncProperty(fc.array(acts, { minLength: 2, maxLength: 4 }), async (happening) => {
          for (const act of happening) {
            listeners.notice();
            const ended = await perform(site, act);
            if (ended !== undefined) former.push(ended);
            await site.world.delivered();
            // Trending hashtags are counted once a minute.
            site.world.pass(61_000);
            expect({ act, leaks: await sweepAll() }).toEqual({ act, leaks: [] });
          }
        }),
        // A smaller example would be made on a site that is another by now.
        { ...runs(40, 300_000), endOnFailure: true },
      );
      expect(listeners.count).toBeGreaterThan(0);
      // For the exports, which ask for a fresh session.
      for (const { name, reader, suspended } of site.members)
        if (!suspended) reader.cookie = await site.signIn(name);
      expect((await readAll(someOf(readers), site.posts.slice(-12))).report()).toEqual([]);
    },
  );

  /** Reads what is open in browsers and apps, where the pages before the change are still kept, and what has come. */
  async function sweepAll(): Promise<string[]> {
    const sweep = new Sweep(site, line);
    // All readers in a thorough run, else half of them.
    const some = new Set(someOf([...readers, ...readers, ...readers]));
    await sweep.readPaths([...some, ...former.slice(-1)], warmPaths(site));
    await listeners.check(sweep);
    return sweep.report();
  }
});
