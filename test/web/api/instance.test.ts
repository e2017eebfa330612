import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acctIn } from "../../../src/web/api/well-known.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { growth } from "../../support/inspect/growth.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const { version } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
) as { version: string };
const site = "https://site.example";

describe("the instance", () => {
  let world: World;
  const get = (path: string) => new ApiClient(world).get(path).expect(200);
  beforeAll(async () => {
    world = await createWorld({
      baseUrl: site,
      contact: "mailto:birds@site.example",
      sourceUrl: "https://source.example/suzume",
      admins: ["nobody", "ann"],
    });
    const ann = await world.newcomer("ann");
    await world.newcomer("bob");
    await ann.tweet("hello");
    await world.delivered();
  });
  afterAll(() => world.close());

  it.each(["/api/v1/instance", "/api/v1/instance/"])(
    "the instance at %s is as before",
    async (path) => {
      const { body } = await get(path);
      expect(body).toMatchObject({
        uri: "site.example",
        title: "Suzume",
        email: "birds@site.example",
        version: `4.2.0 (compatible; Suzume ${version})`,
        urls: { streaming_api: "wss://site.example" },
        stats: { user_count: 2, status_count: 1, domain_count: 1 },
        registrations: true,
        configuration: { statuses: { max_characters: 280, max_media_attachments: 4 } },
        contact_account: { acct: "ann" },
        rules: [],
      });
    },
  );

  it("/api/v2/instance has all fields of newer clients", async () => {
    const { body } = await get("/api/v2/instance");
    expect(body).toMatchObject({
      domain: "site.example",
      version: `4.2.0 (compatible; Suzume ${version})`,
      source_url: "https://source.example/suzume",
      api_versions: { mastodon: 2 },
      usage: { users: { active_month: 1 } },
      configuration: {
        urls: { streaming: "wss://site.example" },
        statuses: { max_characters: 280 },
        translation: { enabled: false },
      },
      registrations: { enabled: true, approval_required: false },
      contact: { email: "birds@site.example", account: { acct: "ann" } },
    });
    const { pathname } = new URL(body.thumbnail.url as string);
    await world.visitor().get(pathname).expect(200);
  });

  it.each(["activity", "domain_blocks", "peers", "rules"])(
    "the instance has no %s",
    async (door) => {
      expect((await get(`/api/v1/instance/${door}`)).body).toEqual([]);
    },
  );

  it("the instance links to its pages", async () => {
    expect((await get("/api/v1/instance/translation_languages")).body).toEqual({});
    expect((await get("/api/v1/instance/privacy_policy")).body.content).toContain(
      `${site}/privacy`,
    );
    expect((await get("/api/v1/instance/extended_description")).body.content).toContain(
      `${site}/about`,
    );
  });

  it("NodeInfo counts are found by crawlers", async () => {
    const { body, headers } = await get("/.well-known/nodeinfo");
    expect(headers["access-control-allow-origin"]).toBe("*");
    const links = body.links as { rel: string; href: string }[];
    expect(links.map(({ href }) => href)).toEqual([`${site}/nodeinfo/2.0`, `${site}/nodeinfo/2.1`]);
    for (const { rel, href } of links) {
      const { body: info, headers: about } = await get(new URL(href).pathname);
      expect(about["content-type"]).toContain(rel);
      expect(info).toMatchObject({
        version: rel.split("/").at(-1),
        software: { name: "suzume", version },
        protocols: [],
        openRegistrations: true,
        usage: { users: { total: expect.any(Number) } },
      });
    }
  });

  it("the time of a hostile name of an account is proportional to its length", () => {
    expect(growth("@", (name) => acctIn(`acct:${name}\n`))).toBeLessThan(10);
    expect(acctIn("acct:@ann@site.example")).toBe("@ann@site.example");
  });

  it("WebFinger leads to a profile", async () => {
    const path = "/.well-known/webfinger?resource=";
    const { body, headers } = await get(`${path}acct:ANN@site.example`);
    expect(headers["content-type"]).toContain("application/jrd+json");
    expect(body).toMatchObject({
      subject: "acct:ann@site.example",
      links: [{ href: `${site}/@ann` }],
    });
    for (const resource of ["acct:nobody@site.example", "acct:ann@elsewhere.example", "ann", ""])
      await new ApiClient(world).get(`${path}${resource}`).expect(404);
    await new ApiClient(world).get("/.well-known/webfinger").expect(404);
    await new ApiClient(world).get("/nodeinfo/3.0").expect(404);
  });
});

describe("a site that does not name its admins", () => {
  it("an instance without public admins names none to apps", async () => {
    const world = await createWorld({ showAdmins: false, admins: ["ann"] }, { workers: false });
    await world.newcomer("ann");
    for (const path of ["/api/v1/instance", "/api/v2/instance"]) {
      const { body } = await new ApiClient(world).get(path).expect(200);
      expect(body.contact ?? { email: body.email, account: body.contact_account }).toEqual({
        email: "",
        account: null,
      });
    }
    await world.close();
  });
});
