import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tweetId } from "../../../src/domain/ids.ts";
import { readTweets } from "../../../src/domain/tweets/store.ts";
import { chooseAudiences, editProfile } from "../../../src/domain/users/settings.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { serveSlowly, type SlowSite } from "../../support/world/slow-site.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("bodies of apps that arrive slowly", () => {
  let world: World;
  let site: SlowSite;
  let type: string;
  const ann = () => getUserByName(world.ctx, "ann");
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    site = await serveSlowly(world.app);
    await world.newcomer("ann");
    const { token } = await ApiClient.of(world, "ann");
    type = `application/json\r\nAuthorization: Bearer ${token}`;
  });
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  it("a full name that arrives slowly leaves a bio that was saved meanwhile", async () => {
    await editProfile(world.ctx, await ann(), { bio: "before" });
    const path = "/api/v1/accounts/update_credentials";
    const form = { method: "PATCH", path, type, body: JSON.stringify({ display_name: "Slow" }) };
    const answer = await site.during(form, async () =>
      editProfile(world.ctx, await ann(), { bio: "meanwhile" }),
    );
    expect(answer).toMatch(/^HTTP\/1.1 200/);
    expect(await ann()).toMatchObject({ fullname: "Slow", bio: "meanwhile" });
  });

  it("a status that arrives slowly is for those whom the user has chosen meanwhile", async () => {
    const form = { path: "/api/v1/statuses", type, body: JSON.stringify({ status: "Slow" }) };
    const answer = await site.during(form, async () =>
      chooseAudiences(world.ctx, await ann(), { audience: "followers", repliesFrom: "mentioned" }),
    );
    expect(answer).toContain('"visibility":"private"');
    const [tweet] = await readTweets(world.ctx, [tweetId(1)]);
    expect(tweet).toMatchObject({ audience: "followers", repliesFrom: "mentioned" });
  });
});
