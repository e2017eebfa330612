import { expect } from "vitest";

/** Reports only the first difference and its place. */
export function expectSame(one: string, other: string, path: string): void {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const around = (text: string) => ({ path, text: text.slice(Math.max(0, at - 80), at + 80) });
  expect(around(one)).toEqual(around(other));
}
