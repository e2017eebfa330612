import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Invalid } from "../../../src/domain/errors.ts";
import { count, flag, readInput, text, texts, toObjects } from "../../../src/web/api/input.ts";
import { runs } from "../../support/models/property-runs.ts";

const schema = z.object({
  id: texts,
  limit: count,
  exclude_replies: flag,
  q: text,
  poll: z.object({ options: texts, multiple: flag }).optional(),
});

const read = (word: unknown) => readInput(schema, { exclude_replies: word }).exclude_replies;

function refusalOf(raw: unknown): unknown {
  try {
    readInput(schema, raw);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("the input of the API", () => {
  it("API input reads the same from JSON and from forms", () => {
    const json = {
      id: ["1", "2"],
      limit: 20,
      exclude_replies: true,
      q: "birds",
      poll: { options: ["a", "b"], multiple: false },
    };
    const form = {
      "id[]": ["1", "2"],
      limit: "20",
      exclude_replies: "true",
      q: "birds",
      "poll[options][]": ["a", "b"],
      "poll[multiple]": "0",
    };
    expect(readInput(schema, form)).toEqual(json);
    expect(readInput(schema, json)).toEqual(json);
  });

  it("API input treats empty and null fields as absent", () => {
    const nothing = { id: [] };
    for (const raw of [undefined, null, {}, { id: null, limit: "", exclude_replies: "", q: null }])
      expect(readInput(schema, raw)).toEqual(nothing);
    expect(readInput(schema, { "id[]": "7", id: undefined })).toMatchObject({ id: [] });
    expect(readInput(schema, { "id[]": 7 })).toMatchObject({ id: ["7"] });
    expect(readInput(schema, { id: "7" })).toMatchObject({ id: ["7"] });
  });

  it("API input reads booleans as forms spell them", () => {
    for (const word of ["true", "1", "on", "TRUE", 1, true]) expect(read(word)).toBe(true);
    for (const word of ["false", "0", "off", "False", 0, false]) expect(read(word)).toBe(false);
    expect(() => read("perhaps")).toThrow(Invalid);
  });

  it("API input errors name the field", () => {
    for (const [raw, problems] of [
      [{ limit: "many" }, { limit: "field.malformed" }],
      [{ limit: -1 }, { limit: "field.malformed" }],
      [{ limit: "1.5" }, { limit: "field.malformed" }],
      [{ q: ["a"] }, { q: "field.malformed" }],
      [{ id: [{ a: 1 }] }, { "id.0": "field.malformed" }],
      [{ "poll[multiple][x]": "1" }, { "poll.multiple": "field.malformed" }],
      ["text", { form: "field.malformed" }],
      [[1], { form: "field.malformed" }],
    ] as const)
      expect(() => readInput(schema, raw)).toThrow(expect.objectContaining({ problems }));
    const needed = z.object({ name: z.string() });
    const problems = { name: "field.missing" };
    expect(() => readInput(needed, {})).toThrow(expect.objectContaining({ problems }));
  });

  it("objects spelled as lists are few and small, however many fields are sent", () => {
    const names = Array.from({ length: 5000 }, (_, nth) => [`f${nth}`, 0]);
    const one = { keyword: Array(1000).fill("x"), ...Object.fromEntries(names) };
    const made = toObjects({ "": one }) as object[];
    expect(made).toHaveLength(100);
    expect(Math.max(...made.map((object) => Object.keys(object).length))).toBeLessThan(50);
    expect(toObjects(Object.fromEntries(names))).toHaveLength(101);
  });

  it("any API input is read or refused, and leaves no mark on prototypes", () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "id[]",
        "id[a]",
        "poll[options][]",
        "poll[]",
        "[]",
        "a[b][c][d][e]",
        "a[[b]]",
      ),
      fc.constantFrom(
        "__proto__[x]",
        "__proto__",
        "constructor[prototype][x]",
        "poll[__proto__][x]",
      ),
    );
    const value = fc.oneof(fc.string(), fc.array(fc.string()), fc.jsonValue());
    fc.assert(
      fc.property(fc.dictionary(name, value), (raw) => {
        expect(refusalOf(raw)).toSatisfy((one) => one === undefined || one instanceof Invalid);
        expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
      }),
      runs(500),
    );
  });
});
