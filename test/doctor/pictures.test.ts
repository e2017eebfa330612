import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportArchive, pictureArchives } from "../../src/domain/accounts/export-archive.ts";
import { steerImport } from "../../src/domain/accounts/import.ts";
import { findImport } from "../../src/domain/accounts/import-store.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { prepareUpload } from "../../src/domain/pictures/prepare-upload.ts";
import { addUpload } from "../../src/domain/pictures/uploads.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { previewImport, siteUrl } from "../support/data/account-files.ts";
import { picture } from "../support/data/pictures.ts";
import { finishJobs, runDoctor } from "../support/world/doctor.ts";
import { emptyRedis } from "../support/world/test-redis.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { storedFiles } from "../support/inspect/stored-files.ts";

const days = 24 * 60 * 60 * 1000;

let world: World;
let user: UserId;
beforeAll(async () => {
  world = await createWorld({ admins: ["ann"] });
  await world.newcomer("ann");
  ({ id: user } = await getUserByName(world.ctx, "ann"));
  const bytes = await picture("png");
  const upload = await addUpload(world.ctx, user, { bytes, description: "" });
  await prepareUpload(world.ctx, { user, upload });
  await postTweet(world.ctx, user, { text: "seen", pictures: [upload] });
  await finishJobs(world);
});
afterAll(() => world.close());

const files = () => storedFiles(world.ctx);
const kinds = async (repair = false) => (await runDoctor(world, { repair })).counts;

it("the doctor finds old files of no tweet and sets them aside, and leaves foreign and new ones", async () => {
  const kept = await files();
  const strays = ["0123456789abcdef.webp", "fedcba9876543210.webp"].map(
    (end) => `${user}-${"0".repeat(24)}-${end}`,
  );
  strays.push(`${user}-${"1".repeat(24)}.upload`);
  const foreign = "0-notes.txt";
  for (const name of [...strays, foreign])
    await world.ctx.storage?.put(name, Buffer.from("x"), "text/plain");
  expect(await kinds()).toEqual({});
  world.pass(3 * days);
  expect(await kinds()).toMatchObject({ "picture-stray": 3 });
  await kinds(true);
  expect((await files()).toSorted()).toEqual([...kept, foreign].toSorted());
});

it("the doctor removes many files only if it is told to", async () => {
  const before = await files();
  for (let nth = 0; nth < 11; nth += 1) {
    const name = `${user}-${String(nth).padStart(24, "0")}.upload`;
    await world.ctx.storage?.put(name, Buffer.from("x"), "text/plain");
  }
  world.pass(3 * days);
  expect(await kinds(true)).toEqual({ "picture-stray": 11 });
  expect((await files()).length).toBe(before.length + 11);
  await runDoctor(world, { repair: true, removeMany: true });
  expect((await files()).toSorted()).toEqual(before.toSorted());
});

it("the doctor finds a picture whose file is lost", async () => {
  const lost = (await files()).filter((name) => name.endsWith(".webp"));
  for (const name of lost) await world.ctx.storage?.remove(name);
  expect(await kinds()).toMatchObject({ "picture-missing": 1 });
  for (const name of lost) await world.ctx.storage?.put(name, Buffer.from("x"), "image/webp");
});

it("the doctor leaves the pictures of an import that waits for its user", async () => {
  const { ctx } = world;
  const before = await files();
  const account = await getUserByName(ctx, "ann");
  const [tweets = []] = await pictureArchives(ctx, user);
  const archive = exportArchive(ctx, { user: account, site: siteUrl }, tweets);
  await previewImport(ctx, user, await buffer(archive));
  const waiting = await files();
  expect(waiting.length).toBe(before.length + 1);
  world.pass(3 * days);
  expect(await kinds(true)).toEqual({});
  expect(await files()).toEqual(waiting);
  const { id = "" } = (await findImport(ctx, user)) ?? {};
  await steerImport(ctx, user, { id, step: "discard" });
  await finishJobs(world);
  expect(await files()).toEqual(before);
});

it("the doctor leaves all pictures where they are if its Redis is empty", async () => {
  const before = await files();
  expect(before.some((name) => name.endsWith(".webp"))).toBe(true);
  await emptyRedis(world.ctx.redis);
  world.pass(3 * days);
  const { counts, left } = await runDoctor(world, { repair: true });
  expect(counts).toMatchObject({ "picture-stray": 1 });
  expect(left).toBeGreaterThan(0);
  expect(await files()).toEqual(before);
});
