import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { required } from "../../src/domain/errors.ts";
import { send } from "../support/actors/composer.ts";
import { picture } from "../support/data/pictures.ts";
import { alertsOn } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("a storage that is slow, but not away", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ answerMilliseconds: 4000, pictureMilliseconds: 20_000 });
  });
  afterAll(() => world.close());

  it("a tweet with four pictures is posted, though storing them takes longer than an answer may", async () => {
    const writer = await world.newcomer("writer");
    const storage = required(world.ctx.storage, "storage");
    const putBriefly = storage.putBriefly.bind(storage);
    storage.putBriefly = async (name, bytes) => {
      await sleep(1500);
      await putBriefly(name, bytes);
    };
    const widths = [20, 40, 60, 80];
    const pictures = await Promise.all(widths.map((width) => picture("png", { width })));
    const sent = await send(writer, { text: "all four", pictures });
    expect([sent.status, alertsOn(sent.text)]).toEqual([303, []]);
  });
});
