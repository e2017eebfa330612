import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { firstSteps } from "../../../../src/web/site/about/view.ts";

it("the API page has the same first steps as docs/api.md", () => {
  const guide = readFileSync(new URL("../../../../docs/api.md", import.meta.url), "utf8");
  const [, steps] = /```sh\n(.*?)```/s.exec(guide) ?? [];
  expect(steps?.trim().split("\n")).toEqual(firstSteps("http://localhost:3000"));
});
