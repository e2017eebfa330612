import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { addPictures } from "../../../src/domain/accounts/import-pictures.ts";
import type { UploadId } from "../../../src/domain/ids.ts";
import { noteUpload } from "../../../src/domain/pictures/uploads.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { parseStatusId } from "../../../src/web/api/ids.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { sources } from "../../support/actors/composer.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const home = "/api/v1/timelines/home";

interface Status {
  id: string;
  media_attachments: unknown[];
}

const leftIn = ({ headers }: { headers: Record<string, string> }) =>
  Number(headers["x-ratelimit-remaining"]);

describe("kept lists of the API", () => {
  let world: World;
  let ben: Visitor;
  let app: ApiClient;
  beforeAll(async () => {
    const limits = { "reads:account": 60, "reads:address": 1000 };
    world = await createWorld({ baseUrl: "http://site.test", limits });
    const ann = await world.newcomer("ann");
    ben = await world.newcomer("ben");
    await ann.follow("ben");
    await ben.tweet("A sparrow on the wire");
    await world.delivered();
    app = await ApiClient.of(world, "ann");
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(() => world.close());

  // A process that stands still for a second trusts its connections no more, and keeps nothing over it.
  it("a kept API list is sent and counted without asking Redis", { retry: 3 }, async () => {
    const first = await app.get(home).expect(200);
    const sent = vi.spyOn(world.ctx.redis, "sendCommand");
    const again = await app.get(home).expect(200);
    expect(sent).not.toHaveBeenCalled();
    expect(again.text).toBe(first.text);
    expect(again.headers["link"]).toBe(first.headers["link"]);
    expect(leftIn(again)).toBe(leftIn(first) - 1);
  });

  it("pictures that an import adds to tweets show in the API and on the site", async () => {
    await ben.tweet("A sparrow on the roof");
    await world.delivered();
    await world.ctx.memory.settled();
    const { id: author } = await getUserByName(world.ctx, "ben");
    // The first picture of a page is shown in another way: the second tweet is the ordinary one.
    for (const [index, digit] of ["0", "1"].entries()) {
      const before = (await app.get(home).expect(200)).body as Status[];
      expect(sources((await ben.get("/@ben").expect(200)).text)).toHaveLength(index);
      const tweet = parseStatusId(before[index]?.id ?? "")?.id;
      if (tweet === undefined) throw new Error("no tweet");
      expect(before[index]?.media_attachments).toEqual([]);
      const id = digit.repeat(24) as UploadId;
      const small = { file: `${author}-${id}-0123456789abcdef.webp`, width: 9, height: 9 };
      const picture = { id, small, large: small, blur: "", hash: "", description: "" };
      await noteUpload(world.ctx, author, { upload: id, description: "" });
      await addPictures(world.ctx, author, { tweet, pictures: [picture], sensitive: false });
      await world.ctx.memory.settled();
      const after = (await app.get(home).expect(200)).body as Status[];
      expect(after[index]?.media_attachments).toHaveLength(1);
      expect(sources((await ben.get("/@ben").expect(200)).text)).toHaveLength(index + 1);
    }
  });

  it("a kept API list is made anew when something in it changes", async () => {
    const [before] = (await app.get(home).expect(200)).body as { id: string }[];
    await ben.post(`/tweets/${before?.id}/like`);
    await ben.tweet("Another sparrow");
    await world.delivered();
    await world.ctx.memory.settled();
    const { body } = await app.get(home).expect(200);
    expect((body as { content: string }[]).map(({ content }) => content)).toEqual([
      "<p>Another sparrow</p>",
      "<p>A sparrow on the roof</p>",
      "<p>A sparrow on the wire</p>",
    ]);
  });

  it("a kept API list is for its token only: no other user, scope, or anonymous client", async () => {
    const other = await ApiClient.of(world, "ben");
    const narrow = await ApiClient.of(world, "ann", "read:accounts");
    await app.get(home).expect(200);
    const theirs = await other.get(home).expect(200);
    expect(theirs.text).not.toBe((await app.get(home).expect(200)).text);
    await narrow.get(home).expect(403);
    await new ApiClient(world).get(home).expect(401);
    await new ApiClient(world, "wrong").get(home).expect(401);
  });

  it("a kept API list counts against the limit, and is refused at it", async () => {
    let left = leftIn(await app.get(home).expect(200));
    expect(left).toBeGreaterThan(10);
    for (; left > 0; left -= 1) expect(leftIn(await app.get(home).expect(200))).toBe(left - 1);
    await app.get(home).expect(429);
    await app.get("/api/v1/accounts/verify_credentials").expect(429);
    world.pass(5 * 60_000);
  });
});
