import { afterAll, beforeAll, expect, it } from "vitest";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { prepareUpload } from "../../src/domain/pictures/prepare-upload.ts";
import { addUpload } from "../../src/domain/pictures/uploads.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { picture } from "../support/data/pictures.ts";
import { finishJobs, runDoctor } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

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

const files = async () => {
  const names: string[] = [];
  for await (const { name } of world.ctx.storage?.list() ?? []) names.push(name);
  return names;
};
const kinds = async (repair = false) => (await runDoctor(world, { repair })).counts;

it("the doctor finds old files of no tweet and deletes them, and leaves foreign and new ones", async () => {
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

it("the doctor finds a picture whose file is lost", async () => {
  for (const name of await files())
    if (name.endsWith(".webp")) await world.ctx.storage?.remove(name);
  expect(await kinds()).toMatchObject({ "picture-missing": 1 });
});
