import type { Response } from "supertest";
import { expect } from "vitest";
import type { RawResponse } from "../world/serve.ts";

/** Checks the headers that every answer has, whatever its status. */
export function expectSecureHeaders({ headers }: Response | RawResponse): void {
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
}

function directives(policy: string): Map<string, string> {
  return new Map(
    policy.split(";").map((directive) => {
      const [name = "", ...values] = directive.trim().split(/\s+/);
      return [name, values.join(" ")];
    }),
  );
}
