import { describe, expect, it } from "vitest";
import { cutPage, cutPageUp, toEntries, upperBound } from "../../src/domain/page.ts";

const at = (...stamps: number[]) => stamps.map((stamp) => ({ stamp }));

describe("cut", () => {
  it("cut ends a page at the limit and says where the next page starts", () => {
    expect(cutPage(at(9, 8, 7), 2)).toEqual({ items: at(9, 8), older: 8 });
  });

  it("cut shows items that were read upwards newest first, and continues below them", () => {
    expect(cutPageUp(at(7, 8, 9), 2)).toEqual({ items: at(8, 7), older: 7 });
    expect(cutPageUp([], 2)).toEqual({ items: [], older: undefined });
  });

  it("cut keeps together entries that share the last stamp", () => {
    expect(cutPage(at(9, 8, 8, 7), 2)).toEqual({ items: at(9, 8, 8), older: 8 });
  });

  it("cut keeps at most a hundred of these together", () => {
    const { items, older } = cutPage(at(...Array<number>(1500).fill(8)), 2);
    expect(items).toHaveLength(102);
    expect(older).toBe(8);
  });

  it("cut leaves a short list whole", () => {
    expect(cutPage(at(9, 8), 2)).toEqual({ items: at(9, 8), older: undefined });
    expect(cutPage([], 2)).toEqual({ items: [], older: undefined });
  });
});

describe("the language of ranges", () => {
  it("a range excludes the cursor, and starts at the newest without one", () => {
    expect(upperBound(17)).toBe("(17");
    expect(upperBound(undefined)).toBe("+inf");
  });

  it("ranges pair members with their scores", () => {
    expect(toEntries(["5", "17", "4", "16"])).toEqual([
      { id: "5", stamp: 17 },
      { id: "4", stamp: 16 },
    ]);
  });
});
