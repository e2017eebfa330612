import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postTweet } from "../../../../src/domain/actions/post-tweet.ts";
import { prepareUpload } from "../../../../src/domain/pictures/prepare-upload.ts";
import { addUpload, findUploads } from "../../../../src/domain/pictures/uploads.ts";
import { chooseAudiences } from "../../../../src/domain/users/settings.ts";
import type { Memory } from "../../../../src/redis/memory.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { createApp } from "../../../../src/web/app.ts";
import { newPerson } from "../../../support/actors/people.ts";
import { picture } from "../../../support/data/pictures.ts";
import { freshProcess } from "../../../support/world/ending-process.ts";
import { appOptions, createWorld, type World } from "../../../support/world/world.ts";

describe("a picture of a tweet that is posted when its account is protected", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("is not shown to strangers whose request began before both", async () => {
    const { ctx } = world;
    const user = await newPerson(ctx);
    const bytes = await picture("png");
    const upload = await addUpload(ctx, user, { bytes, description: "" });
    await prepareUpload(ctx, { user, upload });
    const [found] = await findUploads(ctx, user, [upload]);
    const made = found?.made;
    const file = made?.problem === undefined ? made?.picture.small.file : undefined;
    const shown = keys.pictures(user);
    let isAsked = false;
    const ask: Memory["ask"] = async (redis, command, recording) => {
      if (!isAsked && command[1] === shown) {
        isAsked = true;
        await chooseAudiences(ctx, { id: user }, { protected: true });
        await postTweet(ctx, user, { text: "for followers", pictures: [upload] });
        await ctx.memory.settled();
      }
      return await ctx.memory.ask(redis, command, recording);
    };
    const process = { ...freshProcess(ctx), memory: { ...ctx.memory, ask } };
    await request(createApp(process, appOptions)).get(`/pictures/${file}`).expect(404);
    expect(isAsked).toBe(true);
  });
});
