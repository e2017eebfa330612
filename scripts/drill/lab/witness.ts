import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../../src/context.ts";
import { keys } from "../../../src/redis/keys.ts";
import type { Answer } from "./answers.ts";
import type { Browser } from "./browser.ts";
import { makePeople, type Person, password } from "./inside.ts";
import type { Lab } from "./lab.ts";
import type { Load } from "./load.ts";
import { tweetsOn } from "./pages.ts";

const hour = 60 * 60;

/**
 * A user beside the load who looks at everything, and a stranger who does. The user was away for a
 * while: their session and their home timeline are due to be renewed, which writes.
 */
export class Witness {
  readonly person: Person;
  readonly browser: Browser;
  readonly #stranger: Browser;
  readonly #lab: Lab;
  readonly #load: Load;
  #tweet = "";

  private constructor(lab: Lab, load: Load, person: Person) {
    this.#lab = lab;
    this.#load = load;
    this.person = person;
    this.browser = load.browser(50_001);
    this.#stranger = load.browser(50_002);
    lab.onClose(() => [this.browser, this.#stranger].forEach((browser) => browser.close()));
  }

  static async prepare(lab: Lab, load: Load, ctx: Ctx): Promise<Witness> {
    const [person] = await makePeople(ctx, "witness", 1);
    if (person === undefined) throw new Error("no witness");
    const witness = new Witness(lab, load, person);
    await witness.browser.logIn(person.name, password);
    await makeStale(ctx, person);
    await load.scout.post();
    const [newest] = tweetsOn((await load.scout.browser.get("/")).body);
    witness.#tweet = newest?.tweet ?? "";
    return witness;
  }

  /** Reads every kind of page, and reports each that is not there. */
  async look(): Promise<void> {
    const someone = `/@${this.#load.people[0]?.name ?? ""}`;
    const open = [someone, `${someone}/likes`, `${someone}/followers`, `/tweets/${this.#tweet}`];
    const forAll = ["/", "/explore", ...open];
    const forUsers = ["/notifications", "/search?q=sings", "/settings/sessions", "/settings/apps"];
    for (const path of [...forAll, ...forUsers, "/settings/blocked"])
      this.#expectRead("a user", path, await this.browser.get(path));
    for (const path of [...forAll, "/login", "/signup", "/about"])
      this.#expectRead("a stranger", path, await this.#stranger.get(path));
  }

  /** The answer to a form that writes, where memory is full too, and of which nothing is left. */
  async write(): Promise<Answer> {
    const answer = await this.browser.post(`/tweets/${this.#tweet}/like`);
    if (answer.status === 303) await this.browser.post(`/tweets/${this.#tweet}/unlike`);
    return answer;
  }

  async untilReadOnly(): Promise<void> {
    while ((await this.write()).status !== 503)
      await sleep(50, undefined, { signal: this.#lab.ended });
  }

  /** For this time everything can be read, while nothing can be written. */
  async readOnlyDuring(milliseconds: number): Promise<void> {
    const ends = performance.now() + milliseconds;
    while (performance.now() < ends) {
      await this.look();
      const { status } = await this.write();
      this.#lab.report.expect(status === 503, "a write was not refused with 503", String(status));
      await sleep(200, undefined, { signal: this.#lab.ended });
    }
  }

  #expectRead(who: string, path: string, { status }: Answer): void {
    this.#lab.report.expect(
      status === 200,
      "a page could not be read",
      `${path} by ${who}: ${status}`,
    );
  }
}

async function makeStale({ redis }: Ctx, { id }: Person): Promise<void> {
  await redis.expire(keys.homeTimeline(id), 20 * 24 * hour);
  for (const session of await redis.zrange(keys.sessions(id), 0, "-1")) {
    const key = keys.sessionPrefix + session;
    const stored = JSON.parse((await redis.get(key)) ?? "{}") as { seenAt?: number };
    const seenAt = Date.now() - 2 * hour * 1000;
    await redis.set(key, JSON.stringify({ ...stored, seenAt }), "KEEPTTL");
  }
}
