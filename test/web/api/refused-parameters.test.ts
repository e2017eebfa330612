import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../../support/actors/api-client.ts";
import { picture } from "../../support/data/pictures.ts";
import { createWorld, type World } from "../../support/world/world.ts";

type Fields = Record<string, unknown>;

const update = "patch /api/v1/accounts/update_credentials";
const isPublic = "Profiles, lists of follows and tweets are public here.";
const noFocus = "Pictures have no focal point here: previews show their middle.";
const noQuotePolicy = "Anyone who may read a tweet may quote it here.";

describe("parameters for what Suzume does not have", () => {
  let world: World;
  let ann: ApiClient;
  let ids: Record<string, string>;
  beforeAll(async () => {
    world = await createWorld();
    await world.newcomer("ann");
    const bob = await world.newcomer("bob");
    ann = await ApiClient.of(world, "ann");
    const { body } = await ann.get("/api/v1/accounts/lookup?acct=bob").expect(200);
    const own = (await ann.post("/api/v1/statuses", { status: "own" }).expect(200)).body as Fields;
    await bob.tweet("theirs");
    const { body: theirs } = await ann.get(`/api/v1/accounts/${body.id}/statuses`).expect(200);
    ids = { BOB: body.id as string, OWN: String(own["id"]), THEIRS: String(theirs[0].id) };
  });
  afterAll(() => world.close());

  const send = async (route: string, fields: Fields) => {
    const [method = "", path = ""] = route
      .replaceAll(/[A-Z]+$|(?<=\/)[A-Z]+(?=\/)/g, (name) => ids[name] ?? name)
      .split(" ");
    return await ann.send(method as "post" | "put" | "patch", path).send(fields);
  };

  it.each<[route: string, fields: Fields, field: string, sentence: string]>([
    [
      "post /api/v1/accounts/BOB/follow",
      { languages: ["ja"] },
      "languages",
      "Follows are of tweets in all languages here.",
    ],
    [
      "post /api/v1/statuses/THEIRS/reblog",
      { visibility: "private" },
      "visibility",
      "A retweet cannot have an audience of its own",
    ],
    [
      "post /api/v1/statuses",
      { status: "x", quote_approval_policy: "nobody" },
      "quote_approval_policy",
      noQuotePolicy,
    ],
    [
      "put /api/v1/statuses/OWN",
      { status: "x", quote_approval_policy: "followers" },
      "quote_approval_policy",
      noQuotePolicy,
    ],
    [
      "put /api/v1/statuses/OWN",
      { status: "x", visibility: "direct" },
      "form",
      "An edit can only show a tweet to fewer people",
    ],
    [
      "put /api/v1/statuses/OWN",
      { status: "x", media_attributes: [{ id: "1", focus: "1,1" }] },
      "media_attributes.0.focus",
      noFocus,
    ],
    [update, { discoverable: false }, "discoverable", isPublic],
    [update, { indexable: "0" }, "indexable", isPublic],
    [update, { hide_collections: true }, "hide_collections", isPublic],
    [
      update,
      { source: { sensitive: true } },
      "source.sensitive",
      "Whether pictures are sensitive is said with each tweet here.",
    ],
    [
      update,
      { source: { language: "ja" } },
      "source.language",
      "Apps give the language with each tweet here: there is no default.",
    ],
    [update, { source: { quote_policy: "nobody" } }, "source.quote_policy", noQuotePolicy],
    [
      update,
      { attribution_domains: ["birds.example"] },
      "attribution_domains",
      "Previews of links do not name their authors here.",
    ],
  ])("%s refuses %j with a sentence", async (route, fields, field, sentence) => {
    const { status, body } = await send(route, fields);
    expect([status, (body as { error: string }).error]).toEqual([
      422,
      expect.stringContaining(sentence),
    ]);
    expect(Object.keys((body as { details: object }).details)).toEqual([field]);
  });

  it.each<[route: string, fields: Fields]>([
    ["post /api/v1/accounts/BOB/follow", { languages: [] }],
    ["post /api/v1/accounts/BOB/follow", { languages: null }],
    ["post /api/v1/statuses/THEIRS/reblog", { visibility: "unlisted" }],
    ["post /api/v1/statuses", { status: "x", quote_approval_policy: "public", poll: null }],
    ["put /api/v1/statuses/OWN", { status: "own", visibility: "public", poll: "" }],
    [
      update,
      {
        bot: false,
        discoverable: "true",
        indexable: true,
        hide_collections: "0",
        attribution_domains: [],
        source: { privacy: "public", sensitive: false, language: "", quote_policy: "public" },
      },
    ],
  ])("%s takes what is so anyway: %j", async (route, fields) => {
    expect((await send(route, fields)).status).toBe(200);
  });

  const upload = async (focus: string) =>
    await ann
      .send("post", "/api/v2/media")
      .field("focus", focus)
      .attach("file", await picture("png"), "a.png");

  it("uploads take the middle as their focal point only", async () => {
    const refused = await upload("0.5,0.5");
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(noFocus)]);
    for (const focus of ["0,0", "0.0,0.0", "0.00, -0.00", ""])
      expect([200, 202]).toContain((await upload(focus)).status);
  });
});
