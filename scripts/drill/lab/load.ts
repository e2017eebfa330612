import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../../src/context.ts";
import { addressOf, Browser, type Door } from "./browser.ts";
import { makePeople, type Person, password } from "./inside.ts";
import type { Lab } from "./lab.ts";
import { Ledger } from "./ledger.ts";
import { User } from "./user.ts";

export interface LoadOptions {
  /** How many users act at the same time, and how many others each of them follows. */
  users?: number;
  following?: number;
  /** Milliseconds between two acts of a user, on average. */
  pause?: number;
  /** Milliseconds between two sign-ups by new users; each costs the site a real password hash. */
  signUpEvery?: number;
}

/** Users who sign up, log in, write, react, read and log out until they are stopped. */
export class Load {
  readonly ledger = new Ledger();
  readonly people: Person[];
  readonly users: User[];
  /** One more user, without followings, who writes only to find out whether the site serves again. */
  readonly scout: User;
  readonly #lab: Lab;
  readonly #door: Door;
  readonly #options: Required<LoadOptions>;
  #stopped = false;
  #running: Promise<unknown> = Promise.resolve();

  private constructor(lab: Lab, door: Door, people: Person[], options: Required<LoadOptions>) {
    this.#lab = lab;
    this.#door = door;
    this.#options = options;
    this.people = people;
    const names = people.map(({ name }) => name);
    this.users = people.map(
      (person, nth) => new User(person, this.browser(nth), this.ledger, names, lab.ended),
    );
    this.scout = this.users.at(-1) as User;
    lab.onClose(() => this.users.forEach(({ browser }) => browser.close()));
  }

  /** With its users made and logged in. `door` may lead to another process later. */
  static async prepare(
    lab: Lab,
    door: Door,
    ctx: Ctx,
    { users = 24, following = 6, pause = 500, signUpEvery = 4000 }: LoadOptions = {},
  ): Promise<Load> {
    const people = await makePeople(ctx, "u", users, following);
    people.push(...(await makePeople(ctx, "scout", 1)));
    const load = new Load(lab, door, people, { users, following, pause, signUpEvery });
    for (const user of load.users) await user.logIn();
    lab.report.load = `${users} users, each about ${(1000 / pause).toFixed(1)} requests a second`;
    return load;
  }

  /** A browser at the address with this number. */
  browser(nth: number): Browser {
    return new Browser(this.#door, this.#lab.report.answers, addressOf(nth));
  }

  start(): void {
    const acting = this.users
      .slice(0, -1)
      .map((user) => this.#repeat(() => user.act(), this.#options.pause));
    this.#running = Promise.all([...acting, this.#signUps()]);
    this.#running.catch(() => {});
  }

  /** Resolves once every form that was sent has its answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    this.#lab.report.acknowledged += this.ledger.acknowledged;
  }

  /**
   * Milliseconds until a signed-in user sees home and can post: called at the end of the fault. More
   * than `allowed` is too late.
   */
  async recovered(allowed: number): Promise<number> {
    const began = performance.now();
    for (;;) {
      if (this.scout.browser.viewer === undefined) await this.scout.logIn();
      const { status } = await this.scout.browser.get("/");
      const posted = status === 200 ? await this.scout.post("once") : undefined;
      if (posted?.acknowledgedAt !== undefined) break;
      await sleep(50, undefined, { signal: this.#lab.ended });
    }
    const took = performance.now() - began;
    this.#lab.report.recovered(took, allowed);
    return took;
  }

  async during(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#lab.ended });
  }

  async #signUps(): Promise<void> {
    let nth = 0;
    await this.#repeat(async () => {
      nth += 1;
      const browser = this.browser(60_000 + nth);
      const name = `new${nth}`;
      this.ledger.signedUp(name, await browser.signUp(name, password));
      browser.close();
    }, this.#options.signUpEvery);
  }

  /**
   * Never two at a time; pauses vary, so that users do not march in step. A drill that ends early cuts the
   * pauses short: nothing may be sent then to processes that are being ended.
   */
  async #repeat(act: () => Promise<void>, pause: number): Promise<void> {
    const isOver = () => this.#stopped || this.#lab.ended.aborted;
    while (!isOver()) {
      const milliseconds = pause * (0.4 + Math.random() * 1.2);
      await sleep(milliseconds, undefined, { signal: this.#lab.ended }).catch(() => {});
      if (!isOver()) await act();
    }
  }
}
