import type { Ctx } from "../../../src/context.ts";
import { allowApp, type Consent } from "../../../src/domain/apps/authorize.ts";
import { openToken } from "../../../src/domain/apps/tokens.ts";
import { redeemCode, type CodeRedemption } from "../../../src/domain/apps/issue-token.ts";
import { registerApp, type App } from "../../../src/domain/apps/store.ts";
import { getUserByName, type User } from "../../../src/domain/users/store.ts";
import { challengeOf } from "../../support/actors/test-app.ts";
import { createWorld, type World } from "../../support/world/world.ts";

export const redirectUri = "https://app.example/callback";
export const verifier = "v".repeat(43);

/** A user and an app, and the domain functions between them. */
export class UserAndApp {
  readonly world: World;
  readonly user: User;
  readonly app: App;
  readonly secret: string;

  private constructor(world: World, user: User, { app, secret }: { app: App; secret: string }) {
    this.world = world;
    this.user = user;
    this.app = app;
    this.secret = secret;
  }

  static async make(): Promise<UserAndApp> {
    const world = await createWorld({}, { workers: false });
    await world.newcomer("person");
    const user = await getUserByName(world.ctx, "person");
    return new UserAndApp(world, user, await register(world.ctx));
  }

  get ctx(): Ctx {
    return this.world.ctx;
  }

  async anotherApp(): Promise<App> {
    return (await register(this.ctx)).app;
  }

  /** Authorizes the app; returns the code. */
  async allow(about: Partial<Consent> = {}): Promise<string> {
    return await allowApp(
      this.ctx,
      { user: this.user.id, generation: "" },
      {
        app: this.app.client,
        redirectUri,
        scopes: "read",
        challenge: challengeOf(verifier),
        ...about,
      },
    );
  }

  async redeem(code: string, about: Partial<CodeRedemption> = {}, by = this.app) {
    return await redeemCode(this.ctx, by, { code, redirectUri, verifier, ...about });
  }

  async tokenNow(): Promise<string> {
    return (await this.redeem(await this.allow())).token;
  }

  async isOpen(token: string): Promise<boolean> {
    return (await openToken(this.ctx, token)) !== undefined;
  }
}

async function register(ctx: Ctx): Promise<{ app: App; secret: string }> {
  return await registerApp(ctx, {
    name: "Birdwatch",
    redirectUris: [redirectUri, "app://back"],
    scopes: "read write",
    website: "",
  });
}
