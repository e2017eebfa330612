import type { Ctx } from "../../../src/context.ts";
import { changePassword } from "../../../src/domain/accounts/change-password.ts";
import { getUserByName, type User } from "../../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../../src/domain/users/suspension.ts";
import { password, type Visitor } from "../actors/visitor.ts";
import { hiddenFields } from "../inspect/page.ts";
import { createWorld, type World } from "./world.ts";

/** The password of a user after giveNewPassword. */
export const nextPassword = "another horse 43";
const sessions = "/settings/sessions";

export async function giveNewPassword(ctx: Ctx, user: User): Promise<void> {
  await changePassword(ctx, user, { current: password, next: nextPassword });
}

/** Ways to end what a device has promised, by another device of the same user. */
const endings = {
  "a new password": (ctx: Ctx, user: User) => giveNewPassword(ctx, user),
  "a suspension": async (ctx: Ctx, user: User) => {
    await suspendUser(ctx, user);
    await reinstateUser(ctx, user);
  },
  "a log-out of all other devices": (_: Ctx, __: User, owner: Visitor) =>
    owner.post(sessions).expect(303),
  "a log-out of that device": async (_: Ctx, __: User, owner: Visitor) => {
    const { text } = await owner.get(sessions).expect(200);
    await owner.post(sessions, hiddenFields(text, sessions)).expect(303);
  },
};

type Ending = keyof typeof endings;
export const farEndings = Object.keys(endings) as Ending[];

/** A site without workers, whose users promise work. Then the right that promised it ends. */
export class RightsScene {
  readonly world: World;
  readonly ctx: Ctx;
  #count = 0;

  private constructor(world: World) {
    this.world = world;
    this.ctx = world.ctx;
  }

  static async create(): Promise<RightsScene> {
    return new RightsScene(await createWorld({}, { workers: false }));
  }

  /** A user, and the device on which they signed up. */
  async newUser(): Promise<{ visitor: Visitor; user: User }> {
    this.#count += 1;
    const visitor = await this.world.newcomer(`user${this.#count}`);
    return { visitor, user: await getUserByName(this.ctx, `user${this.#count}`) };
  }

  /** A further device of the user, signed in. */
  async another({ name }: User, current = password): Promise<Visitor> {
    const visitor = this.world.visitor();
    await visitor.post("/login", { name, password: current }).expect(303);
    return visitor;
  }

  /** Ends what the user's devices have promised. Resolves to a device that signed in afterwards. */
  async end(ending: Ending, user: User): Promise<Visitor> {
    await endings[ending](this.ctx, user, await this.another(user));
    return await this.another(user, ending === "a new password" ? nextPassword : password);
  }
}
