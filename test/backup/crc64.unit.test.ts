import { describe, expect, it } from "vitest";
import { crc64 } from "../../src/backup/rdb.ts";

describe("the checksum of values", () => {
  it("crc64 computes the checksum of Redis", () => {
    const text = Buffer.from("123456789");
    // The check value that crc64.c of Redis states: e9c6d914c4b8d9ca.
    expect(crc64(text).toString("hex")).toBe("cad9b8c414d9c6e9");
    expect(crc64(text.subarray(0, 4), text.subarray(4))).toEqual(crc64(text));
    expect(crc64(Buffer.alloc(0)).toString("hex")).toBe("0000000000000000");
  });
});
