import { describe, expect, it } from "vitest";
import { parseScopes } from "../../../../src/domain/apps/scopes.ts";
import { readLanguages } from "../../../../src/web/languages/translator.ts";
import { presentScopes } from "../../../../src/web/site/apps/view.ts";

const words = readLanguages().words("en");

describe("scopes on pages", () => {
  it.each([
    ["read write follow", ["read", "write"]],
    ["read follow", ["read", "follow"]],
    ["write follow", ["write", "follow"]],
    ["read read:statuses write:statuses", ["read", "write:statuses"]],
  ] as const)("the scopes of an app are described without repetition: %s", (scopes, told) => {
    const asked = parseScopes(scopes) ?? new Set();
    expect(presentScopes(words, asked)).toEqual(told.map((scope) => words.t(`scope.${scope}`)));
  });
});
