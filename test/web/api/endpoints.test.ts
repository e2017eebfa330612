import { readFileSync } from "node:fs";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiTable, tableIn } from "../../../scripts/api-table.ts";
import { allScopes, type Scope } from "../../../src/domain/apps/scopes.ts";
import { type Endpoint, scopesOf } from "../../../src/web/api/endpoint.ts";
import { endpoints } from "../../../src/web/api/endpoints.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { operationPath, operationName } from "../../support/actors/api-operations.ts";
import { createWorld, type World } from "../../support/world/world.ts";

/** Scopes that stand for several others would hide which one an endpoint demands. */
const exact = allScopes.filter((scope) => !["read", "write", "follow"].includes(scope));

const scoped = endpoints.filter(({ access }) => scopesOf(access).length > 0);

describe("the documented scopes of an endpoint", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    await world.newcomer("ann");
  });
  afterAll(() => world.close());

  /** The status for a token of exactly these scopes, of a user or of an app alone. */
  async function statusFor(endpoint: Endpoint, scopes: Scope[]): Promise<number> {
    const { access, method, path } = endpoint;
    const isApps = typeof access === "object" && access.by === "app";
    const asking = isApps
      ? await ApiClient.app(world, scopes.join(" "))
      : await ApiClient.of(world, "ann", scopes.join(" "));
    // A stream that lets a request in does not end, unless only its head is asked for.
    const asked = request(world.app)[path.includes("/streaming") ? "head" : method];
    const answer = asked(operationPath({ path }, {})).set(
      "Authorization",
      `Bearer ${asking.token}`,
    );
    return (await (method === "get" ? answer : answer.send({}))).status;
  }

  it("scopes are documented for more than half of all endpoints", () => {
    expect(scoped.length).toBeGreaterThan(endpoints.length / 2);
  });

  it("every documented scope alone admits a request", async () => {
    const wrong: unknown[] = [];
    for (const endpoint of scoped)
      for (const scope of scopesOf(endpoint.access)) {
        const status = await statusFor(endpoint, [scope]);
        if ([401, 403].includes(status) || status >= 500)
          wrong.push([operationName(endpoint), scope, status]);
      }
    expect(wrong).toEqual([]);
  });

  it("a token with all other scopes is refused", async () => {
    const wrong: unknown[] = [];
    for (const endpoint of scoped) {
      const documented = scopesOf(endpoint.access);
      const others = exact.filter((scope) => !documented.includes(scope));
      const status = await statusFor(endpoint, others);
      if (status !== 403) wrong.push([operationName(endpoint), status]);
    }
    expect(wrong).toEqual([]);
  });
});

describe("the documented input of an endpoint", () => {
  it.each([
    ["POST /api/v1/statuses", "spoiler_text"],
    ["GET /api/v1/notifications/unread_count", "limit"],
    ["GET /api/v2/notifications/unread_count", "limit"],
    ["GET /api/v1/timelines/tag/{tag}", "remote"],
    ["GET /api/v2/search", "max_id"],
    ["POST /api/v1/accounts/{id}/mute", "duration"],
  ])("%s documents its input, such as %s", (name, field) => {
    const { query, body } = endpoints.find((endpoint) => operationName(endpoint) === name) ?? {};
    expect(Object.keys({ ...query?.shape, ...body?.shape })).toContain(field);
  });
});

const refused = endpoints.filter(({ summary }) => summary === "Always refused (422)");
const empty = endpoints.filter(({ summary }) =>
  ["Always empty", "Answers empty lists"].includes(summary),
);

describe("the tables of methods in docs/api.md", () => {
  const guide = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");
  const sectionOf = (heading: string) =>
    (guide.split(`\n## ${heading}\n`)[1] ?? "").split("\n## ")[0] ?? "";
  const table = sectionOf("Methods that are refused or absent");
  const named = (word: string) =>
    [...table.matchAll(new RegExp(`((?:\`[^\`]+\`(?:, )?)+) ${word}`, "g"))].flatMap(
      ([, all = ""]) => methodsIn(all),
    );

  it("the table of endpoints in docs/api.md is the one that scripts/api-table.ts makes", () => {
    expect(tableIn(guide).split("\n")).toEqual(apiTable().split("\n"));
  });

  it("docs/api.md names every method that answers empty, and no other", () => {
    const told = methodsIn(sectionOf("Methods that answer empty"));
    expect(told.toSorted()).toEqual(empty.map(operationName).toSorted());
  });

  it("docs/api.md names every refused method, and no other", () => {
    expect(named("refused").toSorted()).toEqual(refused.map(operationName).toSorted());
  });

  it("no absent method of docs/api.md is served", () => {
    const served = new Set(endpoints.map(operationName));
    expect(named("absent").length).toBeGreaterThan(5);
    expect(named("absent").filter((one) => served.has(one))).toEqual([]);
  });

  it("every documented method of Mastodon is in one of the tables", () => {
    const list = readFileSync(new URL("mastodon-methods.txt", import.meta.url), "utf8");
    const documented = list.split("\n").filter((line) => /^[A-Z]+ /.test(line));
    expect(documented.length).toBeGreaterThan(200);
    const told = ["Endpoints", "Methods that answer empty"].flatMap((one) =>
      methodsIn(sectionOf(one)),
    );
    const all = [...told, ...methodsIn(table)];
    expect(documented.filter((one) => !all.includes(one))).toEqual([]);
    expect(all.filter((one, nth) => all.indexOf(one) !== nth)).toEqual([]);
  });
});

function methodsIn(text: string): string[] {
  return [...text.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/g)].map(([, one = ""]) => one);
}
