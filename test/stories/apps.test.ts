import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { challengeOf } from "../support/actors/test-app.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { password, type Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

type Answer = Record<string, string>;

const asText = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
const redirectUri = "birdwatch://callback";

describe("the life of an app", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => closeChecked(world, { workers: false }));

  const post = (path: string, fields: Record<string, unknown>) =>
    request(world.app).post(path).send(fields);
  const verify = (token: string) =>
    request(world.app)
      .get("/api/v1/apps/verify_credentials")
      .set("Authorization", `Bearer ${token}`);

  async function register(): Promise<Answer> {
    const fields = { client_name: "Birdwatch", redirect_uris: redirectUri, scopes: "read write" };
    const { body } = await post("/api/v1/apps", fields).expect(200);
    return body as Answer;
  }

  /** Through the pages, from the app's link to the app's address. */
  async function letIn(visitor: Visitor, app: Answer, verifier: string): Promise<Answer> {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: app["client_id"] ?? "",
      redirect_uri: redirectUri,
      scope: "read",
      state: "xyz",
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
    });
    let page = await visitor.get(`/oauth/authorize?${query.toString()}`);
    if (page.status === 303) page = await logIn(visitor, String(page.headers["location"]));
    expect(asText(page.text)).toMatch(/Authorize Birdwatch ?\?.*Logged in as Test bird @bird/);
    const form = { ...hiddenFields(page.text, "/oauth/authorize"), decision: "allow" };
    const { headers } = await visitor.post("/oauth/authorize", form).expect(303);
    const back = new URL(String(headers["location"]));
    expect(back.href.startsWith(`${redirectUri}?`)).toBe(true);
    expect(back.searchParams.get("state")).toBe("xyz");
    return await fetchToken(app, back.searchParams.get("code") ?? "", verifier);
  }

  async function fetchToken(app: Answer, code: string, verifier: string): Promise<Answer> {
    const { body } = await post("/oauth/token", {
      grant_type: "authorization_code",
      client_id: app["client_id"],
      client_secret: app["client_secret"],
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    }).expect(200);
    return body as Answer;
  }

  it("an app registers, is authorized, is listed in the settings, and is shut out once ended", async () => {
    const bird = await world.newcomer("bird");
    const app = await register();
    const phone = await letIn(world.visitor(), app, "p".repeat(64));
    const laptop = await letIn(bird, app, "l".repeat(64));
    expect(phone["scope"]).toBe("read");
    for (const { access_token: token = "" } of [phone, laptop])
      expect((await verify(token).expect(200)).body).toMatchObject({ name: "Birdwatch" });

    // The phone gives its token back.
    const { client_id, client_secret } = app;
    const gone = { client_id, client_secret, token: phone["access_token"] };
    await post("/oauth/revoke", gone).expect(200);
    expect((await verify(phone["access_token"] ?? "").expect(401)).body).toEqual({
      error: "The access token is invalid",
    });
    await verify(laptop["access_token"] ?? "").expect(200);

    // Bird has a look at it, and ends it.
    const { text } = await bird.get("/settings/apps").expect(200);
    expect(asText(text)).toMatch(/Birdwatch.*See everything you can see.*Since.*last used.*Remove/);
    const stranger = await world.newcomer("stranger");
    const form = hiddenFields(text, "/settings/apps");
    await stranger.post("/settings/apps", form).expect(303);
    await verify(laptop["access_token"] ?? "").expect(200);
    await bird.post("/settings/apps", form).expect(303);
    await verify(laptop["access_token"] ?? "").expect(401);
    const after = await bird.get("/settings/apps").expect(200);
    expect(asText(after.text)).toContain("No apps can use your account.");
    await bird.post("/settings/apps", { app: "no app" }).expect(404);
  });
});

async function logIn(visitor: Visitor, address: string) {
  const { text } = await visitor.get(address).expect(200);
  const fields = { ...hiddenFields(text, "/login"), name: "bird", password };
  const { headers } = await visitor.post("/login", fields).expect(303);
  return await visitor.get(String(headers["location"])).expect(200);
}
