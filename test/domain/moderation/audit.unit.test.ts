import { describe, expect, it } from "vitest";
import {
  parseSubject,
  serializeSubject,
  type Subject,
} from "../../../src/domain/moderation/audit.ts";

describe("a subject", () => {
  it("a subject is read as it is spelled, and nothing else is a subject", () => {
    for (const spelled of ["t1", "p987654321"])
      expect(serializeSubject(parseSubject(spelled) as Subject)).toBe(spelled);
    for (const wrong of [
      "",
      "t",
      "t0",
      "x1",
      "t01",
      "t1 ",
      "p1\n",
      "tt1",
      "t-1",
      "p1234567890123456",
    ])
      expect(parseSubject(wrong)).toBeUndefined();
  });
});
