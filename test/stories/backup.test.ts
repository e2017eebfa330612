import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Header } from "../../src/backup/header.ts";
import { makeBackup } from "../../src/backup/make-backup.ts";
import { readFile } from "../../src/backup/read-file.ts";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { boot } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import { changeLogo, prepareLogo } from "../../src/domain/site/edit.ts";
import { examine } from "../../src/doctor/examine.ts";
import type { Opened } from "../../src/open.ts";
import { createApp } from "../../src/web/app.ts";
import { type Cleanups, folder, openAt, server } from "../backup/support.ts";
import { startCluster } from "../support/world/cluster.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { photo } from "../support/data/pictures.ts";
import { testAddress } from "../support/world/test-redis.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { avatarOn } from "../support/inspect/page.ts";
import { createWorld, appOptions, type World } from "../support/world/world.ts";

const cleanups: Cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function closing<Closable extends { close(): Promise<void> }>(
  one: Promise<Closable>,
): Promise<Closable> {
  const opened = await one;
  cleanups.push(() => opened.close());
  return opened;
}

/** The site's Redis, as programs beside the site open it. */
async function besides(): Promise<Opened> {
  const address = testAddress();
  return await openAt(cleanups, ...("socket" in address ? [address.socket] : address.urls));
}

/** Users who know each other, with pictures and a tweet each that is acknowledged before any backup. */
async function furnish(world: World): Promise<Visitor[]> {
  const people: Visitor[] = [];
  for (const name of ["ann", "ben", "cid", "dee"]) people.push(await world.newcomer(name));
  for (const one of people) {
    await one.agent
      .post("/settings/avatar")
      .attach("avatar", await photo(), "a.jpg")
      .expect(303);
    for (const other of people) if (other !== one) await one.follow(other.name);
    await one.tweet(`the first tweet of ${one.name} #birds`);
  }
  await changeLogo(world.ctx, await prepareLogo(await photo()));
  await world.delivered();
  return people;
}

/** Writes in every way that a page offers, until it is told to stop; each at once with the others. */
function writers(world: World, people: Visitor[]): () => Promise<void> {
  const stop = new AbortController();
  let newcomers = 0;
  const work = people.map(async (one, nth) => {
    const other = people[(nth + 1) % people.length]?.name ?? "";
    for (let round = 1; !stop.signal.aborted; round += 1) {
      await one.tweet(`tweet ${round} of ${one.name}, @${other} #birds`);
      const seen = (await one.see("/")).find(({ author }) => author !== one.name);
      const verb = ["like", "retweet", "unlike", "unretweet"][round % 4];
      await one.post(`/tweets/${seen?.id ?? ""}/${verb}`);
      await one.post(`/@${other}/${round % 2 === 0 ? "follow" : "unfollow"}`).expect(303);
      const mine = await one.see(`/@${one.name}`);
      if (round % 5 === 0) await one.post(`/tweets/${mine[0]?.id ?? ""}/delete`);
      if (round % 3 === 0) await world.newcomer(`new${(newcomers += 1)}`);
    }
  });
  return async () => {
    stop.abort();
    await Promise.all(work);
  };
}

async function backedUp(file: string, how: Header["how"]): Promise<Header> {
  const said: string[] = [];
  const opened = await besides();
  const say = (line: string) => said.push(line);
  const header = await makeBackup(opened.ctx, { file, secret: "s", program: "0.1.0", how, say });
  expect(said).toEqual([]);
  return header;
}

/** A site on the restored data, in which all promised work is done. */
async function siteOn(urls: string[]) {
  const config = { ...parseConfig({ LOG_LEVEL: "silent" }), answerMilliseconds: 20_000 };
  const booted = await closing(boot(config, { urls }));
  booted.work();
  await finishJobs(booted);
  const app = createApp(booted.ctx, { ...appOptions, redis: booted.redis });
  const look = async (repair = false) =>
    await examine(booted.ctx, booted.queues, { repair, minAge: 0, pause: 0, progress() {} });
  return { app, look, booted };
}

/** Signs in, and sees tweets and pictures. */
async function expectWhole(app: ReturnType<typeof createApp>): Promise<void> {
  const ann = new Visitor(app);
  await ann.logIn("ann");
  const { text } = await ann.get("/@ben").expect(200);
  expect(text).toContain("the first tweet of ben");
  const picture = await ann.get(avatarOn(text)).expect(200);
  expect(picture.headers["content-type"]).toBe("image/webp");
  expect((picture.body as Buffer).length).toBeGreaterThan(100);
  const [logo = ""] = /\/logo\/\w+\/favicon\.png/.exec(text) ?? [];
  const { body } = await ann.get(logo).expect(200);
  expect((body as Buffer).subarray(1, 4).toString()).toBe("PNG");
  const home = await ann.readAll("/");
  for (const author of ["ann", "cid"])
    expect(home.map((tweet) => tweet.text)).toContain(`the first tweet of ${author} #birds`);
  await ann.tweet("life goes on");
  expect((await ann.see("/"))[0]?.text).toBe("life goes on");
}

describe("a backup of a site that is being written to", () => {
  it("a backup under load, restored elsewhere, is a whole site on which the doctor finds nothing", async () => {
    const world = await closing(createWorld());
    const people = await furnish(world);
    const stop = writers(world, people);
    await sleep(1000);
    const file = join(await folder(cleanups), "site.backup");
    const header = await backedUp(file, "snapshot");
    await stop();
    expect(header.servers).toBe(1);

    const { socket } = await server(cleanups);
    const target = await openAt(cleanups, socket);
    await restoreBackup(target.ctx, await readFile(file));
    const { app, look } = await siteOn([socket]);
    expect((await look()).findings).toEqual([]);
    await expectWhole(app);
  }, 120_000);

  it("a backup read key after key is made whole by the doctor", async () => {
    const world = await closing(createWorld());
    const people = await furnish(world);
    const stop = writers(world, people);
    await sleep(500);
    const file = join(await folder(cleanups), "site.backup");
    const header = await backedUp(file, "walk");
    await stop();
    expect(header.how).toBe("walk");

    const { socket } = await server(cleanups);
    const target = await openAt(cleanups, socket);
    await restoreBackup(target.ctx, await readFile(file));
    const { app, look, booted } = await siteOn([socket]);
    // Under load one finding was left once, which jobs then mended: what counts is what stays.
    await look(true);
    await finishJobs(booted);
    expect((await look()).findings).toEqual([]);
    await expectWhole(app);
  }, 120_000);

  it("a backup goes onto a cluster, and from there onto a single server", async () => {
    const world = await closing(createWorld());
    await furnish(world);
    const dir = await folder(cleanups);
    await backedUp(join(dir, "single.backup"), "snapshot");

    const cluster = await startCluster();
    cleanups.push(() => cluster.stop());
    const onCluster = await openAt(cleanups, ...cluster.urls);
    await restoreBackup(onCluster.ctx, await readFile(join(dir, "single.backup")));
    const first = await siteOn(cluster.urls);
    expect((await first.look()).findings).toEqual([]);
    await expectWhole(first.app);
    await finishJobs(first.booted);

    const options = { file: join(dir, "cluster.backup"), secret: undefined, program: "0.1.0" };
    const header = await makeBackup(onCluster.ctx, { ...options, say() {} });
    expect(header).toMatchObject({ how: "snapshot", servers: 3 });
    const { socket } = await server(cleanups);
    const target = await openAt(cleanups, socket);
    await restoreBackup(target.ctx, await readFile(options.file));
    const second = await siteOn([socket]);
    expect((await second.look(true)).left).toBe(0);
    await finishJobs(second.booted);
    expect((await second.look()).findings).toEqual([]);
    await expectWhole(second.app);
  }, 180_000);
});
