import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusedEndpoints } from "../../../src/web/api/unsupported.ts";
import { handlersOf } from "../../support/world/routes.ts";
import { createWorld, type World } from "../../support/world/world.ts";

/** Doors that change something and have no limit of their own, and why. */
const exceptions: readonly [doors: RegExp, reason: string][] = [
  [/^POST \/signup$|^POST \/api\/v1\/accounts$/, "counts sign-ups itself, refused ones apart"],
  [/^POST \/login(\/code)?$/, "counts wrong passwords and codes"],
  [/^POST \/prove$/, "counts wrong passwords and codes"],
  [/^POST \/settings\/(account|delete)$/, "asks for the password and counts wrong ones"],
  [
    /^POST .*\/(logout|delete|unlike|unretweet|unpin|unfollow|unmute|unblock|unnotify|remove|remove-follower|decline|reject|leave|revoke|unfavourite|unreblog|unbookmark|remove_from_followers|clear|dismiss)$/,
    "takes something away",
  ],
  [/^DELETE /, "takes something away"],
  [/^POST \/settings\/(sessions|apps)$/, "ends sessions and apps"],
  [/^POST \/admin\//, "is for admins"],
  [
    /^POST \/oauth\/token$/,
    "needs a code, or the secret of an app, and is counted among the requests",
  ],
  [/^POST \/unsubscribe\/:token$/, "needs a sealed token, and ends a mail"],
  [/^POST \/announcement$/, "sets a cookie and stores nothing"],
  [
    /^POST \/api\/v1\/(markers|conversations\/:id\/read)$/,
    "writes one field, and is counted among the requests",
  ],
];

describe("limits of writing routes", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("every writing route has a limit, or a reason to have none", () => {
    const doors = handlersOf(world.app).filter(({ method }) => method !== "get");
    expect(doors.length).toBeGreaterThan(50);
    const bare = doors
      .filter(({ handlers }) => !handlers.some((one) => countsOf(one).length > 0))
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    // These only answer with a sentence.
    const refused = new Set(
      refusedEndpoints.map(
        ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
      ),
    );
    const unexplained = bare.filter(
      (door) => !refused.has(door) && !exceptions.some(([known]) => known.test(door)),
    );
    expect(unexplained).toEqual([]);
  });
});

function countsOf(handler: unknown): unknown[] {
  return [(handler as { counts?: unknown }).counts ?? []].flat();
}
