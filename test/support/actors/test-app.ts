import { createHash } from "node:crypto";
import request, { type Response } from "supertest";
import { hiddenFields } from "../inspect/page.ts";
import type { Visitor } from "./visitor.ts";
import type { World } from "../world/world.ts";

export const callback = "https://app.example/callback";
const verifier = "a-verifier-of-fifty-characters-which-is-long-enough";

/** PKCE challenge of a verifier. */
export function challengeOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** A registered app that sends browsers through the authorization page. */
export class TestApp {
  readonly world: World;
  readonly client: string;
  readonly secret: string;
  readonly redirectUri: string;

  private constructor(world: World, body: Record<string, string>, redirectUri: string) {
    this.world = world;
    this.client = body["client_id"] ?? "";
    this.secret = body["client_secret"] ?? "";
    this.redirectUri = redirectUri;
  }

  static async register(world: World, about: Record<string, string> = {}): Promise<TestApp> {
    const fields = {
      client_name: "Birdwatch",
      redirect_uris: callback,
      scopes: "read write follow",
      website: "https://app.example/",
      ...about,
    };
    const { body } = await request(world.app).post("/api/v1/apps").send(fields).expect(200);
    return new TestApp(world, body as Record<string, string>, fields.redirect_uris);
  }

  /** URL of the authorization page, with the app's parameters. */
  address(about: Record<string, string> = {}): string {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: this.client,
      redirect_uri: this.redirectUri,
      scope: "read write",
      state: "a state & more",
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
      ...about,
    });
    return `/oauth/authorize?${query.toString()}`;
  }

  /** Presses a button of the authorization page; returns the redirect. */
  async decide(
    visitor: Visitor,
    decision: "allow" | "deny",
    about: Record<string, string> = {},
  ): Promise<URL> {
    const { text } = await visitor.get(this.address(about)).expect(200);
    const fields = { ...hiddenFields(text, "/oauth/authorize"), decision };
    const { headers } = await visitor.post("/oauth/authorize", fields).expect(303);
    return new URL(String(headers["location"]), "http://localhost");
  }

  async codeFrom(visitor: Visitor, about: Record<string, string> = {}): Promise<string> {
    return (await this.decide(visitor, "allow", about)).searchParams.get("code") ?? "";
  }

  /** Asks for a token. */
  async exchange(code: string, about: Record<string, string> = {}): Promise<Response> {
    return await this.post("/oauth/token", {
      grant_type: "authorization_code",
      code,
      redirect_uri: this.redirectUri,
      code_verifier: verifier,
      ...about,
    });
  }

  /** A token by the whole flow. */
  async tokenFrom(visitor: Visitor, about: Record<string, string> = {}): Promise<string> {
    const { body } = await this.exchange(await this.codeFrom(visitor, about));
    return (body as { access_token: string }).access_token;
  }

  /** A form with the app's credentials. */
  async post(path: string, fields: Record<string, string>): Promise<Response> {
    const identified = { client_id: this.client, client_secret: this.secret, ...fields };
    return await request(this.world.app).post(path).type("form").send(identified);
  }

  async revoke(token: string): Promise<Response> {
    return await this.post("/oauth/revoke", { token });
  }

  /** Status of a request with the token. */
  async statusWith(token: string): Promise<number> {
    const { status } = await request(this.world.app)
      .get("/api/v1/apps/verify_credentials")
      .set("Authorization", `Bearer ${token}`);
    return status;
  }
}
