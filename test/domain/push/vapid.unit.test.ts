import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/config.ts";
import { vapidKeys } from "../../../src/domain/push/endpoints.ts";

const secret = "a secret of more than thirty-two characters";

describe("the keys for push services", () => {
  it("the keys are the same wherever the secret of sessions is the same", () => {
    const keys = vapidKeys(parseConfig({ SESSION_SECRET: secret }));
    // The very same in all versions: browsers have subscribed with it.
    expect(keys.publicKey).toBe(
      "BOWj91bk5Nhl2DLMFwbZmUTYjcz-NH8XmM8wB9fzBNMBsiHcDw_OZmqz1vaW5s5eE9T6O8vfYKfjk0NgVP7e8Pg",
    );
    expect(Buffer.from(keys.publicKey, "base64url")).toHaveLength(65);
    const others = vapidKeys(parseConfig({ SESSION_SECRET: `${secret}!` }));
    expect(others.publicKey).not.toBe(keys.publicKey);
  });

  it("VAPID_PRIVATE_KEY comes before them", () => {
    // RFC 8291 has this pair.
    const given = { VAPID_PRIVATE_KEY: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw" };
    expect(vapidKeys(parseConfig({ SESSION_SECRET: secret, ...given })).publicKey).toBe(
      "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
    );
  });

  it("a VAPID_PRIVATE_KEY that is none is refused, and not shown", () => {
    for (const wrong of ["short", `${"A".repeat(42)}B`, "A".repeat(43)])
      expect(() => parseConfig({ VAPID_PRIVATE_KEY: wrong })).toThrow(
        /VAPID_PRIVATE_KEY: must be a private key of P-256/,
      );
  });
});
