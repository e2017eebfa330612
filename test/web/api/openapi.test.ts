import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "../../../src/web/api/endpoint.ts";
import { endpoints } from "../../../src/web/api/endpoints.ts";
import {
  callOperation,
  type OperationInput,
  operationName,
} from "../../support/actors/api-operations.ts";
import { filterOperations, scheduledOperations } from "../../support/actors/filter-operations.ts";
import { TestApp } from "../../support/actors/test-app.ts";
import { routesOf } from "../../support/world/routes.ts";
import { writeSite } from "../../../src/domain/site/settings.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  components: { schemas: Record<string, object> };
}

/** Those have no end, or are always refused; other tests know what they answer. */
const isWalked = ({ path, summary }: Endpoint) =>
  summary !== "Always refused (422)" &&
  !/\/streaming(?!\/health)|\/push\/subscription$|\/media(\/\{id\})?$/.test(path);

describe("the OpenAPI document", () => {
  let world: World;
  let document: Document;

  beforeAll(async () => {
    world = await createWorld({});
    const { body } = await request(world.app).get("/api/openapi.json").expect(200);
    document = body as Document;
  });
  afterAll(() => world.close());

  it("the OpenAPI document is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone({ ...document }));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it("the OpenAPI document lists every API endpoint, and no other", () => {
    const doors = routesOf(world.app)
      .filter(({ path }) => /^\/(api|oauth\/(token|revoke|userinfo))\b/.test(path))
      .map(({ method, path }) =>
        operationName({ method, path: path.replaceAll(/:(\w+)/g, "{$1}") }),
      );
    const told = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => operationName({ method, path } as Endpoint)),
    );
    expect(told.toSorted()).toEqual(doors.toSorted());
  });

  it("every endpoint's answer matches the OpenAPI document", async () => {
    const alice = await world.newcomer("alice");
    const bob = await world.newcomer("bob");
    const app = await TestApp.register(world, { scopes: "read write follow push" });
    const scope = "read write follow push";
    const token = await app.tokenFrom(alice, { scope });
    const bobs = await app.tokenFrom(bob, { scope });
    const own = await app.post("/oauth/token", { grant_type: "client_credentials", scope });
    const appToken = (own.body as { access_token: string }).access_token;
    const call = async (method: string, path: string, asked: OperationInput = {}) =>
      (await callOperation(world.app, { method, path } as Endpoint, { token, ...asked })).body as {
        id: string;
      };

    const { id: bobId } = await call("get", "/api/v1/accounts/lookup", { query: { acct: "bob" } });
    const { id: aliceId } = await call("get", "/api/v1/accounts/verify_credentials");
    await call("post", `/api/v1/accounts/${bobId}/follow`);
    await call("post", `/api/v1/accounts/${aliceId}/follow`, { token: bobs });
    const say = async (status: string, by: string, more = {}) =>
      await call("post", "/api/v1/statuses", { token: by, body: { status, ...more } });
    const said = await say("Crumbs @alice #birds https://example.org/bread", bobs);
    const mine = await say("Mine #birds", token, { in_reply_to_id: said.id });
    await say(`Look: ${new URL("/tweets/1", "http://127.0.0.1").href}`, bobs);
    await call("post", `/api/v1/statuses/${mine.id}/favourite`, { token: bobs });
    await call("post", `/api/v1/statuses/${mine.id}/reblog`, { token: bobs });
    await call("post", `/api/v1/statuses/${said.id}/favourite`);
    await call("post", `/api/v1/statuses/${said.id}/bookmark`);
    for (const [name, verb] of [
      ["dave", "block"],
      ["erin", "mute"],
    ] as const) {
      await world.newcomer(name);
      const { id } = await call("get", "/api/v1/accounts/lookup", { query: { acct: name } });
      await call("post", `/api/v1/accounts/${id}/${verb}`);
    }
    const list = await call("post", "/api/v1/lists", { body: { title: "Birds" } });
    const ofList = { path: { id: list.id } };
    const members = { ...ofList, body: { account_ids: [bobId] } };
    await call("post", `/api/v1/lists/${list.id}/accounts`, members);
    // Bob's followings are suggested to alice, who follows bob.
    const frank = await world.newcomer("frank");
    await bob.follow("frank");
    await call("patch", "/api/v1/accounts/update_credentials", { body: { locked: true } });
    await frank.follow("alice");
    await world.delivered();
    const begun = await bob.post("/messages/new", { to: "@alice" }).expect(303);
    const conversation = begun.headers["location"] ?? "";
    await bob.post(conversation, { text: "Just for alice" }).expect(303);
    const ofConversation = { path: { id: conversation.replace("/messages/", "") } };
    await world.delivered();
    await call("post", "/api/v1/tags/birds/follow");
    const [notice, other] = (await call("get", "/api/v1/notifications")) as unknown as {
      id: string;
      group_key: string;
    }[];
    const ofGroup = { path: { id: other?.group_key ?? "" } };

    /** What each door is asked; those that are not here need nothing. In this order, where it matters. */
    const asked: Record<string, OperationInput> = {
      "POST /api/v1/apps": { body: { client_name: "X", redirect_uris: ["https://x.example/"] } },
      "GET /api/v1/apps/verify_credentials": { token: appToken },
      "POST /oauth/token": {
        body: {
          grant_type: "client_credentials",
          client_id: app.client,
          client_secret: app.secret,
        },
      },
      "POST /oauth/revoke": {
        body: { client_id: app.client, client_secret: app.secret, token: "unknown" },
      },
      "POST /api/v1/accounts": {
        token: appToken,
        body: { username: "carol", password: "correct horse 42", agreement: true },
      },
      "GET /api/v1/accounts": { query: { "id[]": [bobId, aliceId] } },
      "GET /api/v1/accounts/lookup": { query: { acct: "bob" } },
      "GET /api/v1/accounts/search": { query: { q: "bo" } },
      "GET /api/v1/accounts/relationships": { query: { "id[]": [bobId, aliceId] } },
      "GET /api/v1/accounts/familiar_followers": { query: { "id[]": bobId } },
      "PATCH /api/v1/accounts/update_credentials": {
        body: {
          note: "A bird #birds",
          fields_attributes: [{ name: "Website", value: "https://example.org" }],
        },
      },
      "POST /api/v1/reports": {
        body: { account_id: bobId, status_ids: [said.id], category: "spam", comment: "Crumbs" },
      },
      ...(await scheduledOperations(call, world.ctx.now(), bobs)),
      "POST /api/v1/lists": { body: { title: "Others", replies_policy: "none" } },
      "GET /api/v1/lists/{id}": ofList,
      "PUT /api/v1/lists/{id}": { ...ofList, body: { title: "Big birds" } },
      "GET /api/v1/lists/{id}/accounts": ofList,
      "POST /api/v1/lists/{id}/accounts": members,
      "DELETE /api/v1/lists/{id}/accounts": members,
      "DELETE /api/v1/lists/{id}": ofList,
      "GET /api/v1/timelines/list/{id}": ofList,
      ...(await filterOperations(call)),
      "GET /api/v1/statuses": { query: { "id[]": [said.id, mine.id] } },
      "GET /api/v1/statuses/{id}/source": { path: { id: mine.id } },
      "POST /api/v1/statuses": { body: { status: "One more" } },
      "PUT /api/v1/statuses/{id}": { path: { id: mine.id }, body: { status: "Said better" } },
      "POST /api/v1/statuses/{id}/pin": { path: { id: mine.id } },
      "POST /api/v1/statuses/{id}/unpin": { path: { id: mine.id } },
      "GET /api/v1/statuses/{id}/favourited_by": { path: { id: mine.id } },
      "GET /api/v1/statuses/{id}/reblogged_by": { path: { id: mine.id } },
      "GET /api/v1/notifications/{id}": { path: { id: notice?.id ?? "" } },
      "POST /api/v1/notifications/{id}/dismiss": { path: { id: notice?.id ?? "" } },
      "GET /api/v2/notifications/{id}": ofGroup,
      "GET /api/v2/notifications/{id}/accounts": ofGroup,
      "POST /api/v2/notifications/{id}/dismiss": ofGroup,
      "POST /api/v1/conversations/{id}/read": ofConversation,
      "DELETE /api/v1/conversations/{id}": ofConversation,
      "GET /api/v1/markers": { query: { "timeline[]": "notifications" } },
      "POST /api/v1/markers": { body: { notifications: { last_read_id: notice?.id } } },
      "GET /api/v2/search": { query: { q: "birds" } },
      "GET /api/v1/timelines/tag/{tag}": { path: { tag: "birds" } },
      "GET /api/v1/tags/{tag}": { path: { tag: "birds" } },
      "POST /api/v1/tags/{tag}/follow": { path: { tag: "birds" } },
      "POST /api/v1/tags/{tag}/unfollow": { path: { tag: "birds" } },
    };
    /** What takes something away comes last. */
    const last = /unfollow|remove_from|\/(un)?block$|\/(un)?mute$|clear$/;
    const weight = (one: Endpoint) =>
      one.method === "delete" ? 3 : last.test(one.path) ? 2 : one.method === "get" ? 0 : 1;
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    (addFormats as unknown as (to: Ajv2020) => void)(ajv);
    ajv.addSchema(document, "document");

    await writeSite(world.ctx, { rules: "Be kind." });
    const wrong: unknown[] = [];
    const empty: string[] = [];
    for (const one of endpoints.filter(isWalked).toSorted((a, b) => weight(a) - weight(b))) {
      const name = operationName(one);
      const id = /\/(accounts|follow_requests)\//.test(one.path)
        ? bobId
        : one.method === "delete"
          ? mine.id
          : said.id;
      const answer = await callOperation(world.app, one, { token, path: { id }, ...asked[name] });
      const isJson = answer.type === "application/json";
      const body: unknown = isJson ? answer.body : answer.text;
      const pointer = [one.path, one.method, "responses", "200", "content", answer.type, "schema"]
        .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
        .join("/");
      const isRight = answer.status === 200 && ajv.validate(`document#/paths/${pointer}`, body);
      if (!isRight) wrong.push([name, answer.status, body, ajv.errors?.slice(0, 3)]);
      if (Array.isArray(body) && body.length === 0 && one.summary !== "Always empty")
        empty.push(name);
      const link = String(answer.headers["link"]);
      if (one.paged && !link.includes('rel="prev"')) wrong.push([name, "Link", link]);
    }
    expect(wrong).toEqual([]);
    // So that lists are not right because there is nothing in them.
    expect(empty).toEqual([]);
  });
});
