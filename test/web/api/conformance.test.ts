import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../support/world/world.ts";
import { documented } from "./mastodon-entities.ts";

interface Schema {
  type?: string | string[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  $ref?: string;
}

const types = {
  s: ["string"],
  b: ["boolean"],
  i: ["integer"],
  n: ["integer", "number"],
  o: ["object"],
  a: ["array"],
};

/** Entities of this API that are not documented as such: what contains others, and what is no longer there. */
const others = new Set(["DeletedStatus", "Error", "Markers"]);

/** That answers have what the document requires is a test of the document. */
describe("the attributes of Mastodon 4.5", () => {
  let world: World;
  let schemas: Record<string, Schema>;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const { body } = await request(world.app).get("/api/openapi.json").expect(200);
    ({ schemas } = (body as { components: { schemas: Record<string, Schema> } }).components);
  });
  afterAll(() => world.close());

  function resolve(schema: Schema): Schema {
    return schema.$ref === undefined
      ? schema
      : (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  }

  /** The objects that an attribute may be, or that are in its list. */
  function objectsIn(schema: Schema): Schema[] {
    const { anyOf, items, properties } = resolve(schema);
    if (anyOf !== undefined) return anyOf.flatMap(objectsIn);
    if (items !== undefined) return objectsIn(items);
    return properties === undefined ? [] : [resolve(schema)];
  }

  function typesOf(schema: Schema): string[] {
    const { type, anyOf, const: value } = resolve(schema);
    if (Number.isInteger(value)) return ["integer"];
    return anyOf?.flatMap(typesOf) ?? [type ?? "unknown"].flat();
  }

  /** The schema at the end of the path, if all on the way are always there. A name may have a dot in it. */
  function find(schema: Schema, path: string): Schema | undefined {
    for (const { properties = {}, required = [] } of objectsIn(schema))
      for (const [name, inner] of Object.entries(properties)) {
        if (!required.includes(name)) continue;
        if (path === name) return inner;
        const found = path.startsWith(`${name}.`) && find(inner, path.slice(name.length + 1));
        if (found !== false && found !== undefined) return found;
      }
    return undefined;
  }

  it.each(Object.entries(documented))(
    "every %s has them all, of the documented types",
    (entity, all) => {
      const wrong = all.split(" ").flatMap((attribute) => {
        const [, path = "", type = "", isNullable = ""] = /^(.+):(\w)(\??)$/.exec(attribute) ?? [];
        const found = find(schemas[entity] ?? {}, path);
        if (found === undefined) return [`${path} is missing`];
        const named = types[type as keyof typeof types];
        const allowed = new Set(isNullable === "" ? named : [...named, "null"]);
        const other = typesOf(found).filter((one) => !allowed.has(one));
        return other.length === 0 ? [] : [`${path} may be ${other.join(" or ")}`];
      });
      expect(wrong).toEqual([]);
    },
  );

  it("all entities of the API are compared", () => {
    const served = Object.keys(schemas).filter((name) => !others.has(name));
    expect(served.toSorted()).toEqual(Object.keys(documented).toSorted());
  });
});
