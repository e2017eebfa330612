import { keys } from "../../../../src/redis/keys.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

/** How answers that never change are cached. */
export const forGood = "public, max-age=31536000, immutable";
/** A site that is open to all. */
export const open = { signUp: "open", read: "public", rules: "" };

/** A site whose admin gives it branding. */
export class BrandingScene {
  readonly world: World;
  readonly admin: Visitor;

  private constructor(world: World, admin: Visitor) {
    this.world = world;
    this.admin = admin;
  }

  static async begin(): Promise<BrandingScene> {
    // A test asks from another port each time: without it no page of a visitor is kept.
    const baseUrl = "http://site.test";
    const world = await createWorld({ admins: ["keeper"], baseUrl }, { workers: false });
    return new BrandingScene(world, await world.newcomer("keeper"));
  }

  /** Sends the form of the settings. */
  save(fields: Record<string, string>) {
    return this.admin.post("/admin/site", { ...open, ...fields });
  }

  /** Uploads a logo. */
  send(bytes: Buffer, by = this.admin) {
    return by.agent.post("/admin/site/logo").attach("logo", bytes, "logo.png");
  }

  async stored(): Promise<Record<string, string>> {
    return await this.world.ctx.redis.hgetall(keys.site);
  }

  /** The site is Suzume again. */
  async reset(): Promise<void> {
    await this.world.ctx.redis.del(keys.site);
  }

  /** Folder of the pictures of the logo. */
  async logoFolder(): Promise<string> {
    return logoOn((await this.world.visitor().get("/login").expect(200)).text);
  }
}

/** The same, by a page. */
export function logoOn(page: string): string {
  return /"(\/logo\/[0-9a-f]{16}\/)favicon\.png"/.exec(page)?.[1] ?? "";
}
