import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boot, type Booted } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import { createApp } from "../../src/web/app.ts";
import { startCluster, type TestCluster } from "../support/world/cluster.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { appOptions } from "../support/world/world.ts";

const paths = ["/", "/explore", "/@patient", "/tweets/1", "/login", "/api/v2/instance"];
const lists = ["/api/v1/timelines/public", "/search?q=bird"];

describe("an absent cluster (R4)", () => {
  let cluster: TestCluster;
  let site: Booted;
  let person: Visitor;
  beforeAll(async () => {
    cluster = await startCluster();
    const config = { ...parseConfig({ LOG_LEVEL: "silent" }), bcryptCost: 4 };
    site = await boot(config, { urls: cluster.urls });
    person = new Visitor(createApp(site.ctx, appOptions));
    await person.signUp("patient");
    await person.tweet("still here");
  });
  afterAll(async () => {
    await site.close();
    await cluster.stop();
  });

  /** Whatever it is, it is an answer in time, and no defect. */
  async function answers(): Promise<{ status: number; retryAfter: unknown }[]> {
    const all = [
      ...[...paths, ...lists].map((path) => person.get(path)),
      person.post("/tweets", { text: "perhaps" }),
      person.post("/api/v1/apps", { client_name: "app", redirect_uris: "https://app.example/" }),
      person.post("/login", { name: "patient", password: "wrong" }),
    ];
    return (await Promise.all(all)).map(({ status, headers }) => ({
      status,
      retryAfter: headers["retry-after"],
    }));
  }

  it("a site answers 503 with Retry-After, never 500, while some or all of its cluster is away (R4)", async () => {
    await cluster.nodes[0]?.kill();
    for (let round = 0; round < 6; round += 1) expectOutages(await answers());
    await cluster.nodes[1]?.kill();
    await cluster.nodes[2]?.kill();
    for (let round = 0; round < 4; round += 1) {
      const all = await answers();
      expectOutages(all);
    }
  });
});

function expectOutages(all: { status: number; retryAfter: unknown }[]): void {
  const wrong = all.filter(({ status, retryAfter }) =>
    status === 503 ? retryAfter === undefined : status >= 500,
  );
  expect(wrong).toEqual([]);
  expect(all.some(({ status }) => status === 503)).toBe(true);
}
