import type { Response } from "supertest";
import { expect } from "vitest";
import type { RawResponse } from "../world/serve.ts";

/** Policies that were found good: most answers have the same, and reading one takes longer than the answer. */
const good = new Set<string>();

/** Checks the headers that every answer has, whatever its status. */
export function expectSecureHeaders({ headers }: Response | RawResponse): void {
  const known = JSON.stringify([
    headers["content-security-policy"],
    headers["x-content-type-options"],
    headers["referrer-policy"],
    headers["cross-origin-opener-policy"],
    headers["permissions-policy"],
    headers["x-powered-by"],
  ]);
  if (good.has(known)) return;
  const policy = directives(String(headers["content-security-policy"]));
  expect(policy.get("default-src")).toBe("'none'");
  expect(policy.get("base-uri")).toBe("'none'");
  expect(policy.get("frame-ancestors")).toBe("'none'");
  expect(policy.get("form-action")).toBe("'self'");
  const sources = [...policy.values()].join(" ");
  expect(sources).not.toMatch(/unsafe|\*|https?:(?!\/\/)/);
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["referrer-policy"]).toBe("same-origin");
  expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
  for (const feature of ["camera", "geolocation", "microphone", "payment", "usb"])
    expect(headers["permissions-policy"]).toContain(`${feature}=()`);
  expect(headers["x-powered-by"]).toBeUndefined();
  good.add(known);
}

function directives(policy: string): Map<string, string> {
  return new Map(
    policy.split(";").map((directive) => {
      const [name = "", ...values] = directive.trim().split(/\s+/);
      return [name, values.join(" ")];
    }),
  );
}
