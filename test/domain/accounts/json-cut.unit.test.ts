import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitList, splitObject, NotJson } from "../../../src/domain/accounts/split-json.ts";

const bytes = (text: string) => Buffer.from(text);
const values = (parts: Iterable<Uint8Array>) =>
  [...parts].map((part): unknown => JSON.parse(Buffer.from(part).toString()));

describe("cutting JSON without parsing it", () => {
  it("cutting JSON finds what parsing it finds, with any spaces", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.nat({ max: 3 }), (list, spaces) => {
        const text = `\n${JSON.stringify(list, null, spaces)} \r\t`;
        expect(values(splitList(bytes(text)))).toEqual(JSON.parse(text));
      }),
    );
    const names = fc.string({ maxLength: 20 }).filter((name) => !/["\\]|^__proto__$/.test(name));
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), fc.nat({ max: 3 }), (object, spaces) => {
        const text = JSON.stringify(object, null, spaces);
        const expected = JSON.parse(text) as Record<string, unknown>;
        const found = splitObject(bytes(text));
        for (const [name, value] of found) expect([expected[name]]).toEqual(values([value]));
        expect(found.size).toBe(Object.keys(expected).length);
      }),
    );
  });

  it("cutting JSON refuses a document without an end, or with more after it", () => {
    for (const text of ["", "[", "[1", '["a]', '["a\\"]', "[1]]", "[1] [2]", "{}", "7", "[{]"])
      expect(() => [...splitList(bytes(text))]).toThrow(NotJson);
    for (const text of ["", "{", '{"a"}', '{"a" 1}', "{1:1}", "[]", '{"a":1}}', '{"a":1,}'])
      expect(() => splitObject(bytes(text))).toThrow(NotJson);
  });

  it("cutting JSON throws no other error, for any bytes", () => {
    const odd = fc.stringMatching(/^[[\]{},:"\\ a1]*$/);
    fc.assert(
      fc.property(odd, fc.constantFrom(splitList, splitObject), (text, cut) => {
        let thrown: unknown;
        try {
          Array.from<unknown>(cut(bytes(text)));
        } catch (error) {
          thrown = error;
        }
        expect(thrown === undefined || thrown instanceof NotJson).toBe(true);
      }),
    );
  });
});
