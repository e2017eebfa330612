import type { Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { parseStatusId } from "../../../src/web/api/ids.ts";
import { linksOf } from "../../support/actors/api-pages.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface NotificationItem {
  id: string;
  content: string;
}

const numbersIn = (statuses: NotificationItem[]) =>
  statuses.map(({ content }) => Number(/number (\d+)/.exec(content)?.[1]));
const countDown = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, nth) => from - nth);

async function walk(visitor: ApiClient, path: string, rel: "next" | "prev"): Promise<number[][]> {
  const pages: number[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer: Response = await visitor.get(next).expect(200);
    if (answer.body.length > 0) pages.push(numbersIn(answer.body));
    next = linksOf(answer)[rel];
  }
  return pages;
}

describe("timelines of the API", () => {
  let world: World;
  let alice: ApiClient;
  let bob: UserId;
  const anybody = () => new ApiClient(world);
  beforeAll(async () => {
    world = await createWorld();
    const page = await world.newcomer("alice");
    await world.newcomer("bob");
    await page.follow("bob");
    bob = (await getUserByName(world.ctx, "bob")).id;
    alice = await ApiClient.of(world, "alice");
    for (let nth = 1; nth <= 45; nth += 1)
      await postAndDeliver(world.ctx, bob, `#chirp number ${nth}`);
  });
  afterAll(() => world.close());

  it.each(["home", "public", "public?local=true", "tag/chirp", "tag/Chirp"])(
    "a timeline has 20 statuses by default, newest first: %s",
    async (name) => {
      const { body } = await alice.get(`/api/v1/timelines/${name}`).expect(200);
      expect(numbersIn(body)).toEqual(countDown(45, 26));
    },
  );

  it.each(["home", "public", "tag/chirp"])(
    "a timeline is read to its end and back by links: %s",
    async (name) => {
      const down = await walk(alice, `/api/v1/timelines/${name}?limit=7`, "next");
      expect(down.map((page) => page.length)).toEqual([7, 7, 7, 7, 7, 7, 3]);
      expect(down.flat()).toEqual(countDown(45, 1));
      const up = await walk(alice, `/api/v1/timelines/${name}?limit=7&min_id=0`, "prev");
      expect(up.toReversed().flat()).toEqual(countDown(45, 1));
    },
  );

  it("timeline links keep the parameters, next before prev", async () => {
    const path = "/api/v1/timelines/public?local=true&limit=2&since_id=0";
    const answer = await anybody().get(path).expect(200);
    const kept = String.raw`http://127\.0\.0\.1:\d+/api/v1/timelines/public\?local=true&limit=2`;
    const [, oldest = "", newest = ""] =
      new RegExp(
        `^<${kept}&max_id=(\\d{16})>; rel="next", <${kept}&min_id=(\\d{16})>; rel="prev"$`,
      ).exec(answer.headers["link"] ?? "") ?? [];
    const made = (answer.body as { created_at: string }[]).map((one) => Date.parse(one.created_at));
    expect([newest, oldest].map((stamp) => Math.floor(Number(stamp) / 1000))).toEqual(made);
  });

  it("an empty timeline has no links", async () => {
    const answer = await alice.get("/api/v1/timelines/home?max_id=1").expect(200);
    expect(answer.body).toEqual([]);
    expect(answer.headers["link"]).toBeUndefined();
  });

  it("a timeline continues from a deleted status, with any bound", async () => {
    const { body } = await alice.get("/api/v1/timelines/home?limit=40").expect(200);
    const gone = (body as NotificationItem[])[10]?.id ?? "";
    const read = async (query: string) =>
      numbersIn((await alice.get(`/api/v1/timelines/home?limit=5&${query}`).expect(200)).body);
    const before = [
      await read(`max_id=${gone}`),
      await read(`since_id=${gone}`),
      await read(`min_id=${gone}`),
    ];
    expect(before).toEqual([countDown(34, 30), countDown(45, 41), countDown(40, 36)]);
    await deleteTweet(world.ctx, bob, parseStatusId(gone)?.id as never);
    expect([
      await read(`max_id=${gone}`),
      await read(`since_id=${gone}`),
      await read(`min_id=${gone}`),
    ]).toEqual(before);
    await alice.get(`/api/v1/statuses/${gone}`).expect(404);
  });

  it("timelines of other servers and of pictures are empty", async () => {
    for (const query of ["remote=true", "only_media=1"])
      for (const name of ["public", "tag/chirp"]) {
        const { body } = await alice.get(`/api/v1/timelines/${name}?${query}`).expect(200);
        expect(body).toEqual([]);
      }
    expect((await alice.get("/api/v1/timelines/tag/%F0%9F%90%A6").expect(200)).body).toEqual([]);
  });

  it("timelines are bounded and take only numbers", async () => {
    const { body } = await alice.get("/api/v1/timelines/public?limit=400").expect(200);
    expect(body).toHaveLength(40);
    for (const query of [
      "limit=0",
      "limit=x",
      "limit=-1",
      "max_id=x",
      "min_id=1&min_id=2",
      "remote=7",
    ])
      await alice.get(`/api/v1/timelines/public?${query}`).expect(422);
  });

  it("timelines are public except home, which requires the scope", async () => {
    await anybody().get("/api/v1/timelines/public").expect(200);
    await anybody().get("/api/v1/timelines/tag/chirp").expect(200);
    await anybody().get("/api/v1/timelines/home").expect(401);
    const writer = await ApiClient.of(world, "alice", "write");
    for (const name of ["home", "public", "tag/chirp"]) {
      const { body } = await writer.get(`/api/v1/timelines/${name}`).expect(403);
      expect(body).toEqual({ error: "This action is outside the authorized scopes" });
    }
  });
});
