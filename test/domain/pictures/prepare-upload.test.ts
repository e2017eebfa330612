import { expect, it } from "vitest";
import { isOutage } from "../../../src/domain/outage.ts";
import { prepareUpload } from "../../../src/domain/pictures/prepare-upload.ts";
import { addUpload, awaitUploads, findUploads } from "../../../src/domain/pictures/uploads.ts";
import { newPerson } from "../../support/actors/people.ts";
import { picture } from "../../support/data/pictures.ts";
import { takeFolderAway } from "../../support/world/folder-away.ts";
import { createWorld } from "../../support/world/world.ts";

it("an upload whose files cannot be kept waits, and is converted later", async () => {
  const world = await createWorld({}, { workers: false });
  const user = await newPerson(world.ctx);
  const bytes = await picture("png");
  const upload = await addUpload(world.ctx, user, { bytes, description: "" });
  for (const how of ["missing", "file"] as const) {
    const bringBack = await takeFolderAway(world.dataDir, how);
    for (let time = 1; time <= 4; time += 1)
      await expect(prepareUpload(world.ctx, { user, upload })).rejects.toSatisfy(isOutage);
    await bringBack();
    expect((await findUploads(world.ctx, user, [upload]))[0]?.made).toBeUndefined();
  }
  const isConverted = async () =>
    await prepareUpload(world.ctx, { user, upload }).then(
      () => true,
      () => false,
    );
  await expect.poll(isConverted, { timeout: 8000 }).toBe(true);
  expect((await findUploads(world.ctx, user, [upload]))[0]?.made).toHaveProperty("picture");
  await world.close();
});

it("nothing waits for the conversion of an upload while its storage is away", async () => {
  const world = await createWorld({}, { workers: false });
  const user = await newPerson(world.ctx);
  const bytes = await picture("png");
  const upload = await addUpload(world.ctx, user, { bytes, description: "" });
  const bringBack = await takeFolderAway(world.dataDir, "missing");
  const [unmade] = await awaitUploads(world.ctx, user, { ids: [upload], milliseconds: Infinity });
  expect(unmade).toMatchObject({ id: upload, made: undefined });
  await bringBack();
  await world.close();
});
