import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { send, sources } from "../support/actors/composer.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { photo, picture } from "../support/data/pictures.ts";
import { alertsOn, typedFields } from "../support/inspect/page.ts";
import { takeFolderAway } from "../support/world/folder-away.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { storedFiles } from "../support/inspect/stored-files.ts";

let world: World;
let person: Visitor;
beforeAll(async () => {
  world = await createWorld();
  person = await world.newcomer("patient");
  await send(person, { text: "before", pictures: [await photo()] });
});
afterAll(() => world.close());

const fileNames = async () => (await storedFiles(world.ctx)).toSorted();
const addressesOnPage = async () => sources((await person.get("/@patient").expect(200)).text);

describe.each(["missing", "file"] as const)("a folder of pictures that is away: %s", (how) => {
  let bringBack: () => Promise<void>;
  beforeEach(async () => {
    const restore = await takeFolderAway(world.dataDir, how);
    bringBack = async () => {
      bringBack = async () => {};
      await restore();
    };
  });
  afterEach(() => bringBack());

  it(`a tweet with a picture comes back as typed with 503, and can be posted later: ${how}`, async () => {
    const typed = { text: `look ${how}\n<here>`, warning: "birds", descriptions: ["A <wren>"] };
    const answer = await send(person, { ...typed, pictures: [await photo()], sensitive: true });
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
    expect(alertsOn(answer.text).join()).toContain("Pictures cannot be kept right now");
    expect(typedFields(answer.text, "/tweets")).toMatchObject({ text: typed.text });
    for (const input of ['value="birds"', 'value="A &lt;wren&gt;"', 'value="on" checked'])
      expect(answer.text).toContain(input);
    await person.tweet(`no picture: ${how}`);
    await bringBack();
    await expect
      .poll(async () => (await send(person, { ...typed, pictures: [await photo()] })).status)
      .toBe(303);
  });

  it(`other forms with a picture say that pictures cannot be kept, with 503: ${how}`, async () => {
    const header = await person.agent
      .post("/settings/header")
      .attach("header", await picture("png"), "header.png");
    expect([header.status, header.headers["retry-after"]]).toEqual([503, "5"]);
    expect(alertsOn(header.text).join()).toContain("Pictures cannot be kept right now");
  });

  it(`a picture that cannot be read is 503, is not cached, and is there again later: ${how}`, async () => {
    const [address = ""] = await addressesOnPage();
    for (const range of ["", "bytes=0-9"]) {
      const { status, headers } = await person.get(address).set("Range", range);
      expect([status, headers["retry-after"], headers["cache-control"]]).toEqual([
        503,
        "5",
        "no-store",
      ]);
    }
    await bringBack();
    await expect.poll(async () => (await person.get(address)).status, { timeout: 8000 }).toBe(200);
  });

  it(`the files of a tweet that is deleted meanwhile are removed later: ${how}`, async () => {
    await bringBack();
    const before = await fileNames();
    await send(person, { text: "short-lived", pictures: [await photo()] });
    const restore = await takeFolderAway(world.dataDir, how);
    const [{ id } = { id: "" }] = await person.see("/@patient");
    const [address = ""] = await addressesOnPage();
    await person.post(`/tweets/${id}/delete`).expect(303);
    await restore();
    expect(await fileNames()).toContain(address.slice("/pictures/".length));
    await world.queues.chore("reconcile-deletion", { tweet: id as never });
    await expect.poll(fileNames, { timeout: 20_000 }).toEqual(before);
  });
});
