import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../../../support/actors/composer.ts";
import { picture } from "../../../support/data/pictures.ts";
import { notificationsOn } from "../../../support/inspect/notifications.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("excerpts in notifications", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  it("a notification of a tweet of pictures alone leads to it by a word", async () => {
    const [writer, reader] = [await world.newcomer("writer"), await world.newcomer("reader")];
    await send(writer, { pictures: [await picture("png")] });
    const [tweet] = await writer.see("/@writer");
    await reader.post(`/tweets/${tweet?.id}/like`).expect(303);
    await world.delivered();
    const told = notificationsOn((await writer.get("/notifications").expect(200)).text);
    expect(told.map(({ excerpt }) => excerpt)).toEqual(["Pictures"]);
  });
});
