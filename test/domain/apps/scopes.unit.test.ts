import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allScopes,
  requestedScopes,
  covers,
  parseScopes,
  type Scope,
  formatScopes,
} from "../../../src/domain/apps/scopes.ts";

const someScopes = fc.uniqueArray(fc.constantFrom(...allScopes), { minLength: 1 });
const of = (...scopes: Scope[]) => new Set<Scope>(scopes);

describe("scopes", () => {
  it("scopes are read back as spelled, in any order and with any white space", () => {
    fc.assert(
      fc.property(someScopes, fc.constantFrom(" ", "  ", "\n", "+"), (scopes, between) => {
        const parsed = parseScopes(scopes.join(between));
        expect(parsed).toEqual(new Set(scopes));
        expect(parseScopes(formatScopes(parsed ?? of()))).toEqual(parsed);
      }),
    );
  });

  it("scopes with an unknown word are none", () => {
    const words = fc.string({ minLength: 1 }).filter((word) => /^[^\s+]+$/.test(word));
    const unknown = words.filter((word) => !(allScopes as readonly string[]).includes(word));
    fc.assert(
      fc.property(someScopes, unknown, (scopes, word) => {
        fc.pre(!/^(admin:|crypto$)/.test(word));
        expect(parseScopes([...scopes, word].join(" "))).toBeUndefined();
      }),
    );
    for (const text of ["", " ", "READ", "read:", "read:accounts:more", "__proto__", "constructor"])
      expect([text, parseScopes(text)]).toEqual([text, undefined]);
  });

  it("known scopes without effect here are left out", () => {
    expect(parseScopes("read admin:read admin:write:accounts crypto")).toEqual(of("read"));
    expect(parseScopes("admin:read")).toBeUndefined();
    expect(parseScopes("admin")).toBeUndefined();
  });

  it("a scope covers itself and its parts, and nothing of another group", () => {
    for (const wanted of allScopes) {
      expect(covers(of(wanted), wanted)).toBe(true);
      expect(covers(of(), wanted)).toBe(false);
      for (const group of ["read", "write"] as const)
        expect(covers(of(group), wanted)).toBe(wanted === group || wanted.startsWith(`${group}:`));
    }
    for (const part of allScopes.filter((scope) => scope.includes(":")))
      expect(covers(of(part), part.split(":")[0] as Scope)).toBe(false);
    expect(covers(of("profile"), "read:accounts")).toBe(false);
  });

  it("the old scope follow covers following, muting and blocking", () => {
    const covered = allScopes.filter((wanted) => covers(of("follow"), wanted));
    expect(covered).toEqual([
      "follow",
      "read:blocks",
      "read:follows",
      "read:mutes",
      "write:blocks",
      "write:follows",
      "write:mutes",
    ]);
  });

  it("an app can ask for scopes only within those it registered", () => {
    fc.assert(
      fc.property(someScopes, someScopes, (most, asked) => {
        const within = asked.every((scope) => covers(new Set(most), scope));
        expect(requestedScopes(new Set(most), asked.join(" ")) !== undefined).toBe(within);
      }),
    );
    expect(requestedScopes(of("read"), "")).toEqual(of("read"));
    expect(requestedScopes(of("write"), "")).toBeUndefined();
  });
});
